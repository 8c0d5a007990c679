import { AwsError, validationError } from '../aws-service/service-server.ts';
import { isJsonPath } from './json-tree.ts';
import { compilePattern, type EventPattern } from './pattern/event-pattern.ts';
import { InvalidEventPatternError } from './pattern/matcher.ts';
import type { Rule } from './rule.ts';

/** A rule with its compiled pattern. */
export interface StoredRule extends Rule {
  readonly arn: string;
  readonly state: 'ENABLED' | 'DISABLED';
  readonly compiled: EventPattern;
}

/** Every account has this bus. */
export const defaultBus = 'default';

interface RuleStoreOptions {
  readonly accountId: string;
  readonly region: string;
  /** Names of the buses besides the default one. */
  readonly buses: readonly string[];
  readonly rules: readonly Rule[];
}

/** The buses of an account and their rules. */
export class RuleStore {
  readonly #buses: ReadonlyMap<string, StoredRule[]>;

  /** @throws AwsError when a rule is malformed, or its bus does not exist */
  constructor({ accountId, region, buses, rules }: RuleStoreOptions) {
    this.#buses = new Map([defaultBus, ...buses].map((name) => [name, []]));
    for (const rule of rules) {
      const path = rule.busName === defaultBus ? rule.name : `${rule.busName}/${rule.name}`;
      this.rulesOf(rule.busName).push(toStored(rule, `arn:aws:events:${region}:${accountId}:rule/${path}`));
    }
  }

  hasBus(name: string): boolean {
    return this.#buses.has(name);
  }

  /** @throws AwsError when no bus has this name */
  rulesOf(busName: string): StoredRule[] {
    const rules = this.#buses.get(busName);
    if (!rules) throw new AwsError('ResourceNotFoundException', `Event bus ${busName} does not exist.`);
    return rules;
  }
}

/** With a malformed path, deliveries would fail later, and events would be lost. */
function toStored(rule: Rule, arn: string): StoredRule {
  const bad = rule.targets.find(({ inputPath }) => inputPath !== undefined && !isJsonPath(inputPath));
  if (bad) throw validationError(`Invalid JSONPath ${bad.inputPath} for target ${bad.id}.`);
  try {
    return { ...rule, arn, state: rule.state ?? 'ENABLED', compiled: compilePattern(JSON.stringify(rule.pattern)) };
  } catch (error) {
    if (!(error instanceof InvalidEventPatternError)) throw error;
    throw new AwsError('InvalidEventPatternException', `Event pattern is not valid. Reason: ${error.message}`);
  }
}
