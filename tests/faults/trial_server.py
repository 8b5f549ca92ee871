"""A process that calls functions in forks of itself, with file-system calls that kill them or fail.

It is started once, with ``failing_calls.c`` preloaded: what it has imported and compiled costs a
fork nothing. Requests and answers are lines of JSON. It is not imported by tests; ``injection``
starts it.
"""

import ctypes
import importlib
import json
import os
import resource
import signal
import sys
import traceback

from recipe import RecipeError

shim = ctypes.CDLL(None)
shim.faults_count.restype = ctypes.c_long


def called(request):
    """What came of the function, as JSON; only RecipeError is a refusal."""
    module, _, name = request["function"].partition(":")
    function = getattr(importlib.import_module(module), name)
    try:
        return {"value": function(*request["arguments"])}
    except RecipeError as error:
        return {"refused": str(error)}
    except SystemExit as end:
        return {"exit": end.code or 0}
    except BaseException:
        return {"traceback": traceback.format_exc()}


def in_a_fork(request):
    signal.alarm(request["seconds"])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for path, stream in (("/dev/null", 0), (request["out"], 1), (request["err"], 2)):
        opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        os.dup2(opened, stream)
        os.close(opened)
    folder, first, last, error, changes = request["faults"]
    shim.faults_arm(folder.encode(), ctypes.c_long(first), ctypes.c_long(last), error, changes)
    found = called(request)
    calls = shim.faults_count()
    shim.faults_arm(b"", ctypes.c_long(-1), ctypes.c_long(-1), 0, 0)
    sys.stdout.flush()
    sys.stderr.flush()
    with open(request["answer"], "w", encoding="utf-8") as file:
        json.dump({**found, "calls": calls}, file)
    os._exit(0)


def main():
    for line in sys.stdin:
        request = json.loads(line)
        if request["fork"]:
            child = os.fork()
            if not child:
                in_a_fork(request)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        else:
            status = 0
            with open(request["answer"], "w", encoding="utf-8") as file:
                json.dump({**called(request), "calls": 0}, file)
        sys.stdout.write(json.dumps(status) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
