import { describe, expect, it, vi } from 'vitest';
import { Progress } from '../../../tools/local/start/progress.ts';

/** A screen that keeps what was written. */
function makeScreen(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, write: (text: string) => written.push(text), text: () => written.join('') };
}

describe('Progress', () => {
  it('prints plain lines when the output is no terminal', () => {
    const screen = makeScreen(false);
    const progress = new Progress(screen);

    progress.note('Ports are taken.');
    progress.step('Building');
    progress.step('Starting');
    progress.end();

    expect(screen.text()).toBe('Ports are taken.\nBuilding …\nStarting …\n');
  });

  it('counts the seconds of the running step on a terminal', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const screen = makeScreen(true);
    const progress = new Progress(screen);

    progress.step('Building');
    vi.advanceTimersByTime(2_000);
    progress.end();
    vi.useRealTimers();

    expect(screen.text()).toBe('\rBuilding … 0 s\rBuilding … 1 s\rBuilding … 2 s\n');
  });

  it('accepts a step when there is no output', () => {
    const progress = new Progress(undefined);

    expect(() => progress.step('Building')).not.toThrow();
  });
});
