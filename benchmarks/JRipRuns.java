// JRip on pairs of files, all in one machine: for each line "train test class" of a list, prints the rows tested, the
// rows wrong, the rules (the default among them) and the milliseconds of learning, in wall and in processor time.

import java.io.BufferedReader;
import java.io.FileReader;
import java.lang.management.ManagementFactory;
import weka.classifiers.rules.JRip;
import weka.core.Instances;

public class JRipRuns {
    static Instances read(String path, String target) throws Exception {
        Instances rows = new Instances(new BufferedReader(new FileReader(path)));
        rows.setClass(rows.attribute(target));
        return rows;
    }

    public static void main(String[] given) throws Exception {
        BufferedReader list = new BufferedReader(new FileReader(given[0]));
        for (String line = list.readLine(); line != null; line = list.readLine()) {
            String[] words = line.split("\t");
            Instances train = read(words[0], words[2]), test = read(words[1], words[2]);
            JRip learner = new JRip();
            long start = System.nanoTime();
            long used = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            learner.buildClassifier(train);
            long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - used;
            long wall = System.nanoTime() - start;
            int wrong = 0;
            for (int i = 0; i < test.numInstances(); ++i)
                if (learner.classifyInstance(test.instance(i)) != test.instance(i).classValue()) ++wrong;
            System.out.println(test.numInstances() + " " + wrong + " " + learner.getRuleset().size() + " "
                    + wall / 1000000 + " " + cpu / 1000000);
            System.out.flush();
        }
    }
}
