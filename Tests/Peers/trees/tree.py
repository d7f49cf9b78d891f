"""Threads and processes that wait for each other, one way a run: python3 tree.py WAY."""
import asyncio
import concurrent.futures
import multiprocessing
import os
import select
import signal
import subprocess
import sys
import threading
import time


def shell(seconds):
    script = f'sleep {seconds}; echo {seconds}'
    return subprocess.run(['sh', '-c', script], capture_output=True, text=True).stdout.strip()


def nap(seconds):
    time.sleep(seconds)
    return seconds


def threads_child():
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(pool.map(shell, [1, 2, 3, 1, 2]))


def threads_pipe():
    read, write = os.pipe()

    def send():
        for _ in range(4):
            time.sleep(1)
            os.write(write, b'x')
        os.close(write)

    threading.Thread(target=send).start()
    return b''.join(iter(lambda: os.read(read, 1), b''))


def threads_futex():
    condition, turns = threading.Condition(), []

    def work(number):
        for _ in range(2):
            time.sleep(number)
            with condition:
                turns.append(number)
                condition.notify_all()

    for number in (1.0, 2.0):
        threading.Thread(target=work, args=(number,)).start()
    with condition:
        condition.wait_for(lambda: len(turns) == 4, timeout=60)
    return sorted(turns)


def threads_poll():
    read, write = os.pipe()
    threading.Timer(4, lambda: os.write(write, b'x')).start()
    poll = select.poll()
    poll.register(read, select.POLLIN)
    return len(poll.poll(60_000))


def threads_signal():
    seen = []
    signal.signal(signal.SIGCHLD, lambda *_: seen.append('CHLD'))
    signal.signal(signal.SIGALRM, lambda *_: seen.append('ALRM'))
    child = subprocess.Popen(['sleep', '2'])
    signal.alarm(4)
    while len(seen) < 2:
        signal.pause()
    return seen, child.wait()


def processes(method):
    def run():
        with multiprocessing.get_context(method).Pool(3) as pool:
            return pool.map(nap, [1, 2, 3, 1, 2], chunksize=1)
    return run


async def tick(every, count):
    for _ in range(count):
        await asyncio.sleep(every)
    return every


async def gather():
    child = await asyncio.create_subprocess_exec(
        'sh', '-c', 'sleep 2; echo child', stdout=asyncio.subprocess.PIPE)
    loop = asyncio.get_running_loop()
    try:
        await asyncio.wait_for(asyncio.sleep(100), 1)
    except asyncio.TimeoutError:
        pass
    found = await asyncio.gather(
        tick(0.5, 6), tick(1, 3), child.communicate(), loop.run_in_executor(None, shell, 3))
    return found[0], found[1], found[2][0], found[3]


WAYS = {
    'child': threads_child, 'pipe': threads_pipe, 'futex': threads_futex, 'poll': threads_poll,
    'signal': threads_signal, 'fork': processes('fork'), 'spawn': processes('spawn'),
    'forkserver': processes('forkserver'), 'asyncio': lambda: asyncio.run(gather()),
}

if __name__ == '__main__':
    start = time.monotonic()
    result = WAYS[sys.argv[1]]()
    print(result, f'{time.monotonic() - start:.1f} s')
