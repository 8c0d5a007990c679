import { webhookPromise } from '../../../shared/contracts/promises.ts';
import type { ScenarioResult } from './scenario.ts';

/** The result of one sender in one scenario. */
export interface MeasuredScenario extends ScenarioResult {
  readonly scenario: string;
  readonly sender: string;
}

/** The senders that the promises are about. The others are measured for comparison. */
const ownSenders = ['engine', 'platform'];

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** The promises in words. */
export function promisesText(): string {
  const { deliveriesPerSecond, ceilingShare, healthyRatio, requestsToDead, lost } = webhookPromise;
  return (
    `promised: the engine delivers >= ${deliveriesPerSecond} a second and >= ${percent(ceilingShare)} of bare Node; ` +
    `p99 of the healthy <= ${healthyRatio} times; <= ${requestsToDead} requests to the dead; lost ${lost}`
  );
}

/** The broken promises of all results, as sentences. */
export function brokenPromises(measured: readonly MeasuredScenario[]): string[] {
  const plain = measured.find(({ sender, measures }) => sender === 'plain' && measures.perSecond !== undefined);
  const plainPerSecond = plain && Math.round(plain.measures.perSecond ?? 0);
  return measured
    .filter(({ sender }) => ownSenders.includes(sender))
    .flatMap((result) => {
      const broken = [...brokenByAny(result), ...brokenByEngine(result, plainPerSecond)];
      return broken.map((text) => `${result.scenario}, ${result.sender}: ${text}`);
    });
}

function brokenByAny({
  measures: { healthyRatio, requestsToDead, lost, wrongSignatures },
}: MeasuredScenario): string[] {
  return [
    exceeds(healthyRatio, webhookPromise.healthyRatio) && `p99 of the healthy ${healthyRatio?.toFixed(2)} times`,
    exceeds(requestsToDead, webhookPromise.requestsToDead) && `${requestsToDead} requests to the dead`,
    exceeds(lost, webhookPromise.lost) && `${lost} lost`,
    exceeds(wrongSignatures, 0) && `${wrongSignatures} wrong signatures`,
  ].filter((text) => typeof text === 'string');
}

/** The whole local platform has emulators on the same processors, so the promises of speed are about the engine. */
function brokenByEngine({ sender, measures }: MeasuredScenario, plainPerSecond: number | undefined): string[] {
  const { perSecond, ceilingShare } = measures;
  if (sender !== 'engine' || perSecond === undefined || ceilingShare === undefined) return [];
  return [
    perSecond < webhookPromise.deliveriesPerSecond && `${Math.round(perSecond)} deliveries a second`,
    ceilingShare < webhookPromise.ceilingShare && `${percent(ceilingShare)} of bare Node`,
    exceeds(plainPerSecond, perSecond) && `slower than the plain sender, ${plainPerSecond} a second`,
  ].filter((text) => typeof text === 'string');
}

const exceeds = (value: number | undefined, most: number): boolean => value !== undefined && value > most;
