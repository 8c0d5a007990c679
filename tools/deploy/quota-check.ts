import { table } from '../bench/report.ts';
import type { Quota } from '../scale/quotas.ts';
import type { QuotaNeed } from './quota-needs.ts';

/** A quota of an account, as Service Quotas lists it. */
export interface AccountQuota {
  readonly service: string;
  readonly code: string;
  readonly name: string;
  readonly value: number;
  readonly isAdjustable: boolean;
}

/** A quota of the account, compared with the need of the stage. */
export interface QuotaCheck extends QuotaNeed {
  readonly present: number;
  /** The quota in the account. If Service Quotas does not list it, this is undefined and `present` is AWS's default. */
  readonly listed: AccountQuota | undefined;
  /** `stop`: the deployment would fail. `raise`: the stage could not carry its load. */
  readonly verdict: 'enough' | 'raise' | 'stop';
}

/** Compares the needs of a stage with the quotas of the account. The most serious shortage comes first. */
export function checkQuotas(needs: readonly QuotaNeed[], account: readonly AccountQuota[]): QuotaCheck[] {
  const order = ['stop', 'raise', 'enough'];
  return needs
    .map((need): QuotaCheck => {
      const listed = account.find((one) => isSame(need.quota, one));
      const present = listed?.value ?? need.quota.value;
      const verdict = present < need.required ? 'stop' : present < need.wanted ? 'raise' : 'enough';
      return { ...need, listed, present, verdict };
    })
    .toSorted((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict));
}

function isSame({ service, code, listedAs }: Quota, listed: AccountQuota): boolean {
  if (service !== listed.service) return false;
  return code === undefined ? listed.name.toLowerCase().includes(listedAs ?? '\0') : code === listed.code;
}

const verdicts = {
  enough: 'enough',
  raise: 'too low for the load',
  stop: 'too low for the deployment',
} as const;

/** One table of all quotas. For each quota that is too low, also the command that raises it. */
export function quotaReport(checks: readonly QuotaCheck[], region: string): string {
  const rows = checks.map(({ quota, present, listed, wanted, verdict }) => ({
    quota: listed?.name ?? quota.name,
    code: listed?.code ?? quota.code ?? '',
    needs: wanted,
    has: present,
    '': listed ? '' : 'by default',
    verdict: verdicts[verdict],
  }));
  const tooLow = checks.filter(({ verdict }) => verdict !== 'enough');
  return [table(rows), ...tooLow.flatMap((check) => ['', raising(check, region)])].join('\n');
}

function raising({ quota, listed, wanted }: QuotaCheck, region: string): string {
  if (quota.raise === 'fixed' || listed?.isAdjustable === false) return `${quota.name} cannot be raised.`;
  if (!listed) return `${quota.name}: ask AWS Support for ${wanted} in ${region}; Service Quotas does not list it.`;
  return [
    `${listed.name}:`,
    `aws service-quotas request-service-quota-increase --service-code ${listed.service} --quota-code ${listed.code} --desired-value ${wanted} --region ${region}`,
  ].join('\n  ');
}
