import type { StageSettings } from '../../infra/stages.ts';
import { ceilingsAt } from '../scale/model.ts';
import { type Quota, quotas } from '../scale/quotas.ts';
import { margin } from '../scale/scenarios.ts';

/** How much of a quota a stage needs. */
export interface QuotaNeed {
  readonly quota: Quota;
  /** The value that suffices for the load of the stage, with a margin. With less, requests are refused or wait. */
  readonly wanted: number;
  /** The value without which the deployment fails. Zero when the deployment succeeds with any value. */
  readonly required: number;
}

/** The parts of a template that quotas depend on. */
export interface Template {
  readonly Resources?: Readonly<Record<string, { readonly Type: string; readonly Properties?: object }>>;
}

/** AWS requires that this many invocations remain for functions without a reservation. */
const unreservedConcurrency = 100;

/** Lists the quotas that a stage needs: for its load, for its reservations, and for its resources. */
export function quotaNeedsOf(stage: StageSettings, templates: readonly Template[]): QuotaNeed[] {
  const needs = new Map<Quota, QuotaNeed>();
  const add = (need: QuotaNeed): void => {
    const { wanted = 0, required = 0 } = needs.get(need.quota) ?? {};
    const { quota } = need;
    needs.set(quota, {
      quota,
      wanted: Math.max(wanted, need.wanted),
      required: Math.max(required, need.required),
    });
  };

  // The hardest case: all purchases belong to one merchant and one partner.
  const load = { perSecond: stage.purchasesPerSecond, merchants: 1, partners: 1, memberLimits: 2 };
  for (const { demand, remedy } of ceilingsAt(load)) {
    if (remedy.kind !== 'quota' || remedy.quota.raise !== 'request' || remedy.quota.service === undefined) continue;
    add({ quota: remedy.quota, wanted: Math.ceil(demand * margin), required: 0 });
  }
  // Other functions cannot use reserved concurrency, even while it is idle. So the reservations are added to the need.
  const reserved = Object.values(stage.reservedConcurrency).reduce((sum, one) => sum + one, 0);
  if (reserved > 0) {
    const { wanted = 0 } = needs.get(quotas.concurrency) ?? {};
    add({ quota: quotas.concurrency, wanted: reserved + wanted, required: reserved + unreservedConcurrency });
  }
  for (const [quota, count] of resourceCounts(templates)) add({ quota, wanted: count, required: count });
  return [...needs.values()];
}

/** The resources of the stage that a quota counts. The resources of other stages in the account are not counted. */
function resourceCounts(templates: readonly Template[]): [Quota, number][] {
  const resources = templates.map(({ Resources = {} }) => Object.values(Resources));
  const all = resources.flat();
  const count = (type: string): number => all.filter(({ Type }) => Type === type).length;
  const busOf = ({ Properties = {} }: { readonly Properties?: object }) =>
    'EventBusName' in Properties ? JSON.stringify(Properties.EventBusName) : '';
  const rules = Map.groupBy(
    all.filter(({ Type }) => Type === 'AWS::Events::Rule'),
    busOf,
  );
  return [
    [quotas.regionalApis, count('AWS::ApiGateway::RestApi')],
    [quotas.domainNames, count('AWS::ApiGateway::DomainName')],
    [quotas.busRules, Math.max(0, ...[...rules.values()].map(({ length }) => length))],
    [quotas.schedules, count('AWS::Scheduler::Schedule')],
    [quotas.webAcls, count('AWS::WAFv2::WebACL')],
    [quotas.alarms, count('AWS::CloudWatch::Alarm')],
    [quotas.stacks, templates.length],
    [quotas.stackResources, Math.max(0, ...resources.map(({ length }) => length))],
  ];
}
