import { createHash } from 'node:crypto';
import { copyFile, glob, readFile, writeFile } from 'node:fs/promises';
import { adaptTemplate } from './adapt-template.ts';

/**
 * Adapts a cloud assembly to ministack. `npm run deploy -- --adapt` runs it with the assembly's folder. `HOST_URLS` has
 * the public URLs of the hosts as JSON.
 */

interface Manifest {
  readonly artifacts: Readonly<
    Record<string, { readonly type: string; readonly properties: Readonly<Record<string, string>> }>
  >;
}

async function adaptAssembly(assembly: string, hostUrls: Readonly<Record<string, string>>): Promise<void> {
  const manifestFile = `${assembly}/manifest.json`;
  const manifest: Manifest = JSON.parse(await readFile(manifestFile, 'utf8'));
  for (const [stack, { type, properties }] of Object.entries(manifest.artifacts)) {
    if (type !== 'aws:cloudformation:stack') continue;
    const templateFile = `${assembly}/${properties.templateFile}`;
    const template = JSON.parse(await readFile(templateFile, 'utf8'));
    const host = stack.split('-').at(-1) ?? '';
    const adapted = JSON.stringify(
      adaptTemplate(template, { hostUrl: hostUrls[host], webhookHttpHosts: '127.0.0.1,localhost' }),
    );
    await writeFile(templateFile, adapted);
    // A template is uploaded only once under its digest, so a changed template needs a new digest.
    const digest = /(?<digest>[0-9a-f]{64})\.json$/.exec(properties.stackTemplateAssetObjectUrl ?? '')?.groups?.digest;
    if (digest === undefined) throw new Error(`the template of ${stack} has no digest in ${manifestFile}`);
    const newDigest = createHash('sha256').update(adapted).digest('hex');
    for (const file of [manifestFile, `${assembly}/${stack}.assets.json`]) {
      await writeFile(file, (await readFile(file, 'utf8')).replaceAll(digest, newDigest));
    }
  }
  // Ministack finds no handlers in files that end in .cjs.
  for await (const file of glob(`${assembly}/asset.*/index.cjs`)) await copyFile(file, file.replace(/cjs$/, 'js'));
}

const [, , assembly] = process.argv;
if (assembly === undefined) throw new Error('name the folder of the cloud assembly');
await adaptAssembly(assembly, JSON.parse(process.env.HOST_URLS ?? '{}'));
