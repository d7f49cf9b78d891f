"""Threads and processes that wait for each other, one mechanism per run: python3 tree.py WAY."""
import asyncio
import concurrent.futures
import fcntl
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


def tickers():
    """Tickers on a bus, semaphores, a child and an executor concurrently; each line has its time in
    microseconds."""
    start, lines = time.monotonic(), []
    bus = os.open('/dev/i2c-1', os.O_RDWR)
    fcntl.ioctl(bus, 0x0703, 0x76)

    def log(*words):
        lines.append(f'{time.monotonic() - start:.6f} {words}')

    def register():
        os.write(bus, b'\xd0')
        return os.read(bus, 1)

    async def ticker(every, count):
        for number in range(count):
            await asyncio.sleep(every)
            log(every, number, register())

    async def limits():
        for number in range(5):
            try:
                await asyncio.wait_for(asyncio.sleep(1), 0.1 * (number + 1))
            except asyncio.TimeoutError:
                log('limit', number)

    async def child():
        program = 'import time; time.sleep(.7); print(time.monotonic())'
        process = await asyncio.create_subprocess_exec(
            sys.executable, '-c', program, stdout=asyncio.subprocess.PIPE)
        log('child', (await process.communicate())[0])

    def work(number):
        time.sleep(0.35)
        return sum(range(200_000 * number)), register()

    async def execute(number):
        loop = asyncio.get_running_loop()
        log('executor', await loop.run_in_executor(None, work, number))

    async def run():
        await asyncio.gather(
            ticker(0.1, 15), ticker(0.15, 10), ticker(0.3, 5), child(), limits(),
            *(execute(number) for number in (1, 2, 3)))

    asyncio.run(run())
    return '\n'.join(lines)


def locked():
    """A deadlock of two threads, one of which waits on a pipe."""
    first, second = threading.Lock(), threading.Lock()
    read, _ = os.pipe()

    def hold():
        with first:
            os.read(read, 1)
            second.acquire()

    threading.Thread(target=hold).start()
    second.acquire()
    return first.acquire()


WAYS = {
    'child': threads_child, 'pipe': threads_pipe, 'futex': threads_futex, 'poll': threads_poll,
    'signal': threads_signal, 'fork': processes('fork'), 'spawn': processes('spawn'),
    'forkserver': processes('forkserver'), 'asyncio': lambda: asyncio.run(gather()),
    'tickers': tickers, 'locked': locked,
}

if __name__ == '__main__':
    start = time.monotonic()
    result = WAYS[sys.argv[1]]()
    print(result, f'{time.monotonic() - start:.1f} s')
