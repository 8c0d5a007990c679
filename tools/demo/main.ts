import { usePlatform } from './platform.ts';
import { play } from './story.ts';

/** `npm run demo`: plays the product's story against the running platform, and fails loudly when anything is off. */
const { platform, release } = await usePlatform();
try {
  await play(platform);
  console.log('\nEverything held. What to read next: README.md, docs/architecture/overview.md.\n');
} catch (error) {
  console.error(`\nThe demonstration failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await release();
}
