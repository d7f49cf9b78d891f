// Promises and processes that wait for each other, one way a run: node tree.js WAY.
'use strict';
const { exec, execFileSync } = require('node:child_process');
const { promisify } = require('node:util');
const { Worker, isMainThread, workerData, parentPort } = require('node:worker_threads');
const shell = promisify(exec);
const sleep = promisify(setTimeout);

const ways = {
  async child() {
    const texts = [];
    for (const n of [1, 2, 1]) texts.push((await shell(`sleep ${n}; echo ${n}`)).stdout.trim());
    return texts;
  },
  async pool() {
    const found = await Promise.all([1, 2, 3, 4].map((n) => shell(`sleep ${n}; echo ${n}`)));
    return found.map((each) => each.stdout.trim());
  },
  async sync() { return String(execFileSync('sh', ['-c', 'sleep 4; echo 4'])).trim(); },
  async timer() {
    let count = 0;
    const ticker = setInterval(() => { count += 1; }, 1000);
    await sleep(4500);
    clearInterval(ticker);
    return count;
  },
  async worker() {
    const worker = new Worker(__filename, { workerData: 4 });
    return new Promise((resolve) => { worker.on('message', resolve); });
  },
  async signal() {
    const seen = new Promise((resolve) => { process.on('SIGUSR2', resolve); });
    const child = shell(`sleep 4; kill -USR2 ${process.pid}`);
    const name = await seen;
    await child;
    return name;
  },
};

async function main() {
  if (!isMainThread) {
    await sleep(workerData * 1000);
    parentPort.postMessage(workerData);
    return;
  }
  const start = process.hrtime.bigint();
  const result = await ways[process.argv[2]]();
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  console.log(`${result} ${seconds.toFixed(1)} s`);
}

main();
