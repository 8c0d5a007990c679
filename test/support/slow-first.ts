import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest test files: each takes 20 seconds or more. */
const slow = [
  'tools/bench/quick',
  'tools/bench/cost',
  'functions/faulty-dynamodb',
  'soak/histories',
  'functions/crash-with-key',
  'tools/restore-drill',
  'releases/mixed-releases',
  'purchases/histories',
  'functions/reward/limits-at-once',
  'soak/same-history',
  'tools/local/start',
];

/** Begins with the slowest files. One of them at the end would run alone, while the other processor has nothing to do. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slow.some((name) => moduleId.endsWith(`/${name}.test.ts`));
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
