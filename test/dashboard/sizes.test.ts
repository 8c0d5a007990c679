import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildDashboard } from '../../tools/build/dashboard.ts';
import { type LoadSizes, measureLoads } from './sizes.ts';

const kilobyte = 1024;
const split = (route: string) => `src/routes/${route}?tsr-split=component`;
const builder = split('$organisation/campaigns/$campaign/edit/$step.tsx');

describe('the scripts of the dashboard, gzipped', () => {
  let outDir: string;
  let sizes: LoadSizes;

  beforeAll(async () => {
    outDir = await mkdtemp(join(tmpdir(), 'dashboard-'));
    await buildDashboard(outDir);
    sizes = await measureLoads(pathToFileURL(`${outDir}/`), {
      first: [split('$organisation/route.tsx'), split('$organisation/index.tsx')],
      spare: ['src/parts/menu-popup.tsx'],
    });
  });
  afterAll(() => rm(outDir, { recursive: true, force: true }));

  it('are at most 170 KB for the first screen', () => {
    expect(sizes.first).toBeLessThanOrEqual(170 * kilobyte);
  });

  it('are at most 130 KB more for the builder', () => {
    expect(sizes.routes.get(builder)).toBeLessThanOrEqual(130 * kilobyte);
  });

  it('are at most 40 KB more for any other screen', () => {
    const others = [...sizes.routes].filter(([route]) => route !== builder);
    expect(others.filter(([, size]) => size > 40 * kilobyte)).toEqual([]);
  });
});
