import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from './support/fixture.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture('killed');
}, 30_000);

afterAll(() => fixture.stop());

it('kill() ends the running invocations of a function, but no later ones', async () => {
  fixture.puppeteer.play(() => ({ hang: true }));
  const hanging = [fixture.platform.invoke('Endpoint', {}), fixture.platform.invoke('Endpoint', {})];
  await fixture.puppeteer.until(2);

  await fixture.platform.kill('Endpoint');

  for (const { error } of await Promise.all(hanging)) expect(error).toMatchObject({ errorType: 'Runtime.ExitError' });
  fixture.puppeteer.play(() => ({ return: 'alive' }));
  expect(await fixture.platform.invoke('Endpoint', {})).toMatchObject({ payload: '"alive"' });
});

it('kill() does not affect other functions', async () => {
  const replied = Promise.withResolvers<void>();
  fixture.puppeteer.play(async () => {
    await replied.promise;
    return { return: 'finished' };
  });
  const running = fixture.platform.invoke('Endpoint', {});
  await fixture.puppeteer.until(1);

  await fixture.platform.kill('Worker');
  replied.resolve();

  expect(await running).toMatchObject({ payload: '"finished"' });
});
