import { AwsError, validationError } from '../aws-service/aws-error.ts';
import { isJsonPath } from './json-path.ts';
import { compilePattern, type EventPattern, InvalidEventPatternError } from './pattern.ts';
import type { Rule, RuleTarget } from './rule.ts';

/** A rule ready to match. */
export interface StoredRule extends Rule {
  readonly arn: string;
  readonly state: 'ENABLED' | 'DISABLED';
  /** The pattern's text, as it was given where it was given as text. */
  readonly patternJson?: string;
  readonly compiled?: EventPattern;
}

/** A rule whose pattern may also be given as text, as the API does. */
export type RuleInput = Omit<Rule, 'targets'> & { readonly patternJson?: string };

/** The bus that every account has. */
export const DEFAULT_BUS = 'default';

/** The buses of an account and their rules. Every method that names a bus or rule refuses one that does not exist. */
export class RuleStore {
  readonly #buses = new Map<string, Map<string, StoredRule>>([[DEFAULT_BUS, new Map()]]);
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

  /** The only one that takes a name that does not exist, as the API does. */
  deleteBus(name: string): void {
    if (name === DEFAULT_BUS) throw validationError('Cannot delete event bus default.');
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

  /** Creates a rule or changes it; its targets stay unless given. */
  putRule(rule: RuleInput, targets?: readonly RuleTarget[]): StoredRule {
    const rules = this.#rulesByName(rule.busName);
    targets?.forEach(refuseBadPaths);
    const path = rule.busName === DEFAULT_BUS ? rule.name : `${rule.busName}/${rule.name}`;
    const stored: StoredRule = {
      ...rule,
      ...compiledPattern(rule),
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

/** A pattern's text and its compiled form; a malformed one is the API's InvalidEventPatternException. */
export function compiledPattern(rule: RuleInput): Pick<StoredRule, 'patternJson' | 'compiled'> {
  const patternJson = rule.patternJson ?? (rule.pattern && JSON.stringify(rule.pattern));
  if (patternJson === undefined) return {};
  try {
    return { patternJson, compiled: compilePattern(patternJson) };
  } catch (error) {
    if (!(error instanceof InvalidEventPatternError)) throw error;
    throw new AwsError('InvalidEventPatternException', `Event pattern is not valid. Reason: ${error.message}`);
  }
}

/** Refused with the rule: found out at delivery, a bad path would cost the event. */
function refuseBadPaths({ id, inputPath, inputTransformer }: RuleTarget): void {
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
