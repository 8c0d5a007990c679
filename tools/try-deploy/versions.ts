import { cp, glob, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The files and folders that the build and the synthesis read. */
const sources = [
  ...['functions', 'shared', 'infra', 'tools', 'dashboard'],
  ...['package.json', 'package-lock.json', 'cdk.json', 'tsconfig.json'],
];

/**
 * The file with the version that the OpenAPI documents show. From outside, this version tells which code a host runs.
 */
const documentFile = 'shared/http/openapi/document.ts';
const versions = { first: '1.0.0', changed: '1.0.1' } as const;
export type Version = keyof typeof versions;

/** Copies the sources into a folder, so a trial does not touch `dist` and `cdk.out`. */
export async function copySources(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const source of sources) await cp(source, join(folder, source), { recursive: true });
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Changes the code of every function in a copy of the sources, and the version that the OpenAPI documents show. */
export async function changeSources(folder: string): Promise<void> {
  for await (const handler of glob(join(folder, 'functions/*/*/handler.ts'))) {
    await writeFile(handler, `${await readFile(handler, 'utf8')}\nexport const version = '${versions.changed}';\n`);
  }
  const document = join(folder, documentFile);
  const text = await readFile(document, 'utf8');
  const changed = text.replace(`version: '${versions.first}'`, `version: '${versions.changed}'`);
  if (changed === text) throw new Error(`${documentFile} has no version ${versions.first}: change versions.ts too`);
  await writeFile(document, changed);
}

const attempts = 20;
const pauseMs = 500;

/**
 * Waits until the document of every host shows a version. Asks one host after the other, because ministack may fail
 * when functions start together.
 * @throws Error when a host shows another version after ten seconds
 */
export async function expectVersion(version: Version, hosts: Readonly<Record<string, string>>): Promise<void> {
  const expected = `"version":"${versions[version]}"`;
  for (const [host, url] of Object.entries(hosts)) {
    let text = '';
    for (let attempt = 0; attempt < attempts && !text.includes(expected); attempt += 1) {
      if (attempt > 0) await sleep(pauseMs);
      text = await (await fetch(`${url}/openapi.json`)).text();
    }
    if (!text.includes(expected)) throw new Error(`the host ${host} does not show ${expected}: ${text.slice(0, 200)}`);
  }
}
