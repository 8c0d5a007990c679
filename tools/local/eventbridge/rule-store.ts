import { AwsError, validationError } from '../aws-service/service-server.ts';
import { isJsonPath } from './json-tree.ts';
import { compilePattern, type EventPattern } from './pattern/event-pattern.ts';
import { InvalidEventPatternError } from './pattern/matcher.ts';
import type { Rule, RuleTarget } from './rule.ts';

/** A rule with its compiled pattern. */
export interface StoredRule extends Rule {
  readonly arn: string;
  readonly state: 'ENABLED' | 'DISABLED';
  /** The pattern's text. If the pattern was given as text, it is unchanged. */
  readonly patternJson?: string;
  readonly compiled?: EventPattern;
}

/** A rule whose pattern is an object (from a template) or text (from the API). */
export type RuleInput = Omit<Rule, 'targets'> & { readonly patternJson?: string };

/** Every account has this bus. */
export const defaultBus = 'default';

/**
 * The buses of an account and their rules. A method that takes the name of a bus or a rule throws an AwsError when none
 * has this name. Only `deleteBus` accepts an unknown name, as the API does.
 */
export class RuleStore {
  readonly #buses = new Map<string, Map<string, StoredRule>>([[defaultBus, new Map()]]);
  readonly #arnPrefix: string;

  constructor({ accountId, region }: { accountId: string; region: string }) {
    this.#arnPrefix = `arn:aws:events:${region}:${accountId}`;
  }

  busArn(name: string): string {
    return `${this.#arnPrefix}:event-bus/${name}`;
  }

  busNames(): string[] {
    return [...this.#buses.keys()];
  }

  hasBus(name: string): boolean {
    return this.#buses.has(name);
  }

  createBus(name: string): void {
    if (this.hasBus(name)) throw new AwsError('ResourceAlreadyExistsException', `Event bus ${name} already exists.`);
    this.#buses.set(name, new Map());
  }

  deleteBus(name: string): void {
    if (name === defaultBus) throw validationError('Cannot delete event bus default.');
    this.#buses.delete(name);
  }

  rulesOf(busName: string): StoredRule[] {
    return [...this.#rulesByName(busName).values()];
  }

  rule(busName: string, ruleName: string): StoredRule {
    const rule = this.#rulesByName(busName).get(ruleName);
    if (!rule) throw notFound(`Rule ${ruleName} does not exist on EventBus ${busName}.`);
    return rule;
  }

  /** Creates or changes a rule. Without `targets`, the rule keeps its targets. */
  putRule(rule: RuleInput, targets?: readonly RuleTarget[]): StoredRule {
    const rules = this.#rulesByName(rule.busName);
    targets?.forEach(requireValidPaths);
    const path = rule.busName === defaultBus ? rule.name : `${rule.busName}/${rule.name}`;
    const stored: StoredRule = {
      ...rule,
      ...compileRulePattern(rule),
      arn: `${this.#arnPrefix}:rule/${path}`,
      state: rule.state ?? 'ENABLED',
      targets: targets ?? rules.get(rule.name)?.targets ?? [],
    };
    rules.set(rule.name, stored);
    return stored;
  }

  deleteRule(busName: string, ruleName: string): void {
    this.#rulesByName(busName).delete(ruleName);
  }

  #rulesByName(busName: string): Map<string, StoredRule> {
    const rules = this.#buses.get(busName);
    if (!rules) throw notFound(`Event bus ${busName} does not exist.`);
    return rules;
  }
}

/**
 * Returns a pattern's text and its compiled form.
 * @throws AwsError InvalidEventPatternException when the pattern is malformed
 */
export function compileRulePattern(
  rule: Pick<RuleInput, 'pattern' | 'patternJson'>,
): Pick<StoredRule, 'patternJson' | 'compiled'> {
  const patternJson = rule.patternJson ?? (rule.pattern && JSON.stringify(rule.pattern));
  if (patternJson === undefined) return {};
  try {
    return { patternJson, compiled: compilePattern(patternJson) };
  } catch (error) {
    if (!(error instanceof InvalidEventPatternError)) throw error;
    throw new AwsError('InvalidEventPatternException', `Event pattern is not valid. Reason: ${error.message}`);
  }
}

/** Checks the paths of a new rule. With a malformed path, deliveries would fail later, and events would be lost. */
function requireValidPaths({ id, inputPath, inputTransformer }: RuleTarget): void {
  const paths = [
    ...(inputPath === undefined ? [] : [inputPath]),
    ...Object.values(inputTransformer?.inputPathsMap ?? {}),
  ];
  const bad = paths.find((path) => !isJsonPath(path));
  if (bad !== undefined) throw validationError(`Invalid JSONPath ${bad} for target ${id}.`);
}

function notFound(message: string): AwsError {
  return new AwsError('ResourceNotFoundException', message);
}
