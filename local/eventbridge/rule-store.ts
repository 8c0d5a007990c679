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

/** The buses of an account and their rules. */
export interface RuleStore {
  busArn(name: string): string;
  busNames(): string[];
  hasBus(name: string): boolean;
  createBus(name: string): void;
  deleteBus(name: string): void;
  /** All rules of a bus; an unknown bus is a ResourceNotFoundException. */
  rulesOf(busName: string): StoredRule[];
  rule(busName: string, ruleName: string): StoredRule;
  /** Creates a rule or changes it; targets stay unless given. */
  putRule(rule: RuleInput, targets?: readonly RuleTarget[]): StoredRule;
  deleteRule(busName: string, ruleName: string): void;
}

/** The bus that every account has. */
export const DEFAULT_BUS = 'default';

export function createRuleStore({ accountId, region }: { accountId: string; region: string }): RuleStore {
  const buses = new Map<string, Map<string, StoredRule>>([[DEFAULT_BUS, new Map()]]);
  const arn = (resource: string): string => `arn:aws:events:${region}:${accountId}:${resource}`;

  const rulesByName = (busName: string): Map<string, StoredRule> => {
    const rules = buses.get(busName);
    if (!rules) throw notFound(`Event bus ${busName} does not exist.`);
    return rules;
  };

  return {
    busArn: (name) => arn(`event-bus/${name}`),
    busNames: () => [...buses.keys()],
    hasBus: (name) => buses.has(name),
    createBus(name) {
      if (buses.has(name)) throw new AwsError('ResourceAlreadyExistsException', `Event bus ${name} already exists.`);
      buses.set(name, new Map());
    },
    deleteBus: (name) => void buses.delete(name),
    rulesOf: (busName) => [...rulesByName(busName).values()],
    rule(busName, ruleName) {
      const rule = rulesByName(busName).get(ruleName);
      if (!rule) throw notFound(`Rule ${ruleName} does not exist on EventBus ${busName}.`);
      return rule;
    },
    putRule(rule, targets) {
      const rules = rulesByName(rule.busName);
      targets?.forEach(refuseBadPaths);
      const path = rule.busName === DEFAULT_BUS ? rule.name : `${rule.busName}/${rule.name}`;
      const stored: StoredRule = {
        ...rule,
        ...compiledPattern(rule),
        arn: arn(`rule/${path}`),
        state: rule.state ?? 'ENABLED',
        targets: targets ?? rules.get(rule.name)?.targets ?? [],
      };
      rules.set(rule.name, stored);
      return stored;
    },
    deleteRule: (busName, ruleName) => void rulesByName(busName).delete(ruleName),
  };
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
