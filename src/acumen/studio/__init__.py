"""The studio: a page in the browser that does what the command line does, and shows the command of every click.

    command   `acumen studio`: what is asked for at the command line
    serve     a socket, a secret, a folder of its own, a server
    guard     who may ask for what: everything is refused that is not allowed
    app       the routes; hands each request on
    folder    files of the start folder, by number           uploads   files that were dropped on the page
    bench     the process that works, as the server sees it: questions, jobs one after the other, an end to them
    worker    that process: answers questions while a job is under way
    spec      what the page may ask for, checked             commands  the same as command lines and as Python
    answers/  what is answered, a file a screen; no arithmetic, all is asked of the rooms below
    static/   the page, built from `studio-ui/`

The server reads no table and learns nothing; whatever may fail, take long or fill memory happens in the worker.
"""
