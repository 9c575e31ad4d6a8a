"""Bytes both ways between two sockets, for the servers of tests that stand between two others."""
import socket
import threading


def pump(source, sink):
    """Copies bytes until one side ends, then ends the other."""
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        pass
    for stream in (source, sink):
        try:
            stream.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def relay(one, other):
    """Returns when both sides have ended. Closes neither."""
    back = threading.Thread(target=pump, args=(other, one), daemon=True)
    back.start()
    pump(one, other)
    back.join()
