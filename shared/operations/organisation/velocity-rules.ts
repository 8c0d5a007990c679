import { ruleName, withoutRule, withRule } from '../../domain/ledger/velocity.ts';
import { type Organisation, rulesOf, type VelocityRule, withRules } from '../../domain/organisation.ts';
import { changedOrganisationWrite } from '../../store/organisation/organisations.ts';
import { ChangedMeanwhileError, NotFoundError, subjectText } from '../errors.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';
import { findOrganisationOfKind, type findOrganisationStores, organisationSubject } from './find-organisation.ts';

type RuleDeps = AuditedDeps<typeof findOrganisationStores>;

/** The velocity rules of a program after a command. */
export interface ProgramRules {
  readonly partner: Organisation;
  readonly rules: readonly VelocityRule[];
  readonly isChanged: boolean;
}

/** Loads the velocity rules of a partner's program. @throws NotFoundError, WrongOrganisationKindError */
export async function loadRules(text: string, deps: RuleDeps): Promise<ProgramRules> {
  const partner = await findOrganisationOfKind(text, 'PARTNER', deps);
  return { partner, rules: rulesOf(partner), isChanged: false };
}

/**
 * Sets the rule for a unit (rewards, points or cents) and a window (one reward, hour, day or week). The rule applies to rewards that are
 * brought to the program from now on. A new maximum does not reset the rule's counters.
 *
 * @throws NotFoundError, WrongOrganisationKindError, ChangedMeanwhileError
 */
export async function setRule(text: string, rule: VelocityRule, deps: RuleDeps): Promise<ProgramRules> {
  const loaded = await loadRules(text, deps);
  const name = ruleName(rule);
  if (loaded.rules.some((one) => ruleName(one) === name && one.most === rule.most)) return loaded;
  return writeRules(loaded, withRule(loaded.rules, rule), `set velocity rule ${name} to ${rule.most}`, deps);
}

/**
 * Removes a rule. Rewards that it held stay held until their review.
 *
 * @throws NotFoundError when the program has no such rule; WrongOrganisationKindError, ChangedMeanwhileError
 */
export async function removeRule(
  text: string,
  rule: Pick<VelocityRule, 'unit' | 'window'>,
  deps: RuleDeps,
): Promise<ProgramRules> {
  const loaded = await loadRules(text, deps);
  const left = withoutRule(loaded.rules, rule);
  if (left.length < loaded.rules.length) {
    return writeRules(loaded, left, `removed velocity rule ${ruleName(rule)}`, deps);
  }
  throw new NotFoundError(
    { kind: 'velocity rule', id: ruleName(rule) },
    { within: organisationSubject(loaded.partner) },
  );
}

async function writeRules(
  { partner, rules: before }: ProgramRules,
  rules: readonly VelocityRule[],
  what: string,
  deps: RuleDeps,
): Promise<ProgramRules> {
  const subject = organisationSubject(partner);
  const changed = { ...partner, ...withRules(rules) };
  await writeAudited(
    {
      what: `${what} in the program of ${subjectText(subject)}`,
      change: { before: { rules: before }, after: { rules } },
      writes: [changedOrganisationWrite(partner, changed)],
      conflict: () => new ChangedMeanwhileError(subject),
    },
    deps,
  );
  return { partner: changed, rules, isChanged: true };
}
