import { expect, it } from 'vitest';
import { storyText } from '../../../tools/admin/commands/trace.ts';

const request = '5f0d9a3e-6f4c-4b8e-9d3b-0a1f8c2e7d11';
const earlier = '73e0863a-b43b-413b-a4fe-fc3412b1a95e';
const step = (at: string, what: string, requestId: string | null) =>
  ({ at, what, requestId, kind: 'event', durationMs: null }) as const;

it('a trace counts time from the first step of its request, not from earlier steps', () => {
  const text = storyText(request, {
    requestIds: [request],
    steps: [
      step('2026-11-23T12:53:10.000Z', 'the purchase was made', null),
      step('2026-11-23T12:58:01.500Z', 'the refund was received', request),
      step('2026-11-23T12:58:02.000Z', 'the refund was booked', request),
    ],
    others: [{ requestId: earlier, event: 'transaction_created', at: '2026-11-23T12:53:10.000Z' }],
    hasLogs: true,
  });

  const lines = text.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' | '));
  expect(lines).toEqual(
    expect.arrayContaining([
      '2026-11-23 12:53:10.000 | -291.500 s | the purchase was made | -',
      '2026-11-23 12:58:01.500 | 0.000 s | the refund was received | -',
      '2026-11-23 12:58:02.000 | 0.500 s | the refund was booked | -',
      `2026-11-23 12:53:10.000 | ${earlier} | transaction_created`,
    ]),
  );
});

it('a trace counts time from its first row when no request is known', () => {
  const steps = [
    step('2026-11-23T12:00:00.000Z', 'the order was received', null),
    step('2026-11-23T12:00:01.000Z', 'the purchase was made', null),
  ];

  expect(storyText('order', { requestIds: [], steps, others: [], hasLogs: true })).toMatch(/1\.000 s\s+the purchase/);
});

it('a trace without logs says that they were not read, and what to do', () => {
  const nothing = { requestIds: [], steps: [], others: [], hasLogs: false };
  const advice =
    'The logs were not read: instead of --port-base, name the state folder of the platform with --state-dir.';

  expect(storyText(request, nothing)).toBe(`The table has nothing about ${request}. ${advice}`);
  expect(storyText(request, { ...nothing, hasLogs: true })).toMatch(/^Neither the table nor the logs have anything/);
  expect(
    storyText(request, { ...nothing, steps: [step('2026-11-23T12:00:00.000Z', 'the order was received', null)] }),
  ).toContain(advice);
});
