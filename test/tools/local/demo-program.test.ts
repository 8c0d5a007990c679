import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { findFreePort, isFree } from '../../../tools/local/ports.ts';
import { ProgramControl } from '../../support/program-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The demonstration's program beside a platform that is killed. Each platform is a process of its own. */

const platform = `
import { startDemoProgram } from './tools/local/start/demo-program.ts';
const [port, dataDirectory] = process.argv.slice(1);
const { url, secret } = await startDemoProgram({ port: Number(port), dataDirectory });
process.stdout.write(JSON.stringify({ url, secret }));
setInterval(() => {}, 1_000);`;

const kills: (() => Promise<unknown>)[] = [];

afterEach(() => Promise.all(kills.splice(0).map((kill) => kill())));

/** Starts a platform with nothing but the program. */
async function startBeside(port: number, dataDirectory: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', platform, String(port), dataDirectory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exit;
  };
  kills.push(kill);
  const [printed] = await once(child.stdout, 'data');
  return { ...(JSON.parse(String(printed)) as { readonly url: string; readonly secret: string }), kill };
}

it("the demonstration's program ends when the platform is killed, but keeps its books and secret", async () => {
  const port = await findFreePort();
  const dataDirectory = temporaryFolder('program');
  const first = await startBeside(port, dataDirectory);
  await new ProgramControl(first.url).open({ member_id: 'SKY-1', balance: 700 });
  await new ProgramControl(first.url).move('SKY-1', -200);

  await first.kill();
  await expect.poll(() => isFree(port), { timeout: 10_000 }).toBe(true);
  const second = await startBeside(port, dataDirectory);

  expect(second.secret).toBe(first.secret);
  const { accounts, movements } = await new ProgramControl(second.url).books();
  expect(accounts['SKY-1']?.balance).toBe(500);
  expect(movements).toHaveLength(1);
});
