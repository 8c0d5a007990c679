import { usePlatform } from './platform.ts';
import { playStory } from './story.ts';

/** `npm run demo`: plays the product's story against the running platform. Fails when a fact does not hold. */
const { platform, release } = await usePlatform();
try {
  await playStory(platform);
  console.log('\nEvery fact holds. What to read next: README.md, docs/architecture/overview.md.\n');
} catch (error) {
  console.error(`\nThe demonstration failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await release();
}
