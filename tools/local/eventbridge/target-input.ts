import { valueAt } from './json-path.ts';
import { type JsonNode, readJson, writeJson } from './json-tree.ts';
import type { InputTransformer, RuleTarget } from './rule.ts';

/** What a template may name besides its own variables. */
export interface MatchedEvent {
  readonly eventJson: string;
  readonly ruleName: string;
  readonly ruleArn: string;
  readonly ingestionTime: string;
}

/** The text a target receives for a matched event: the event unless the target asks for something else. */
export function targetInput(target: RuleTarget, matched: MatchedEvent): string {
  if (target.input !== undefined) return target.input;
  if (target.inputPath !== undefined) {
    return writeJson(valueAt(readJson(matched.eventJson), target.inputPath) ?? NOTHING);
  }
  return target.inputTransformer ? transform(target.inputTransformer, matched) : matched.eventJson;
}

const NOTHING: JsonNode = { kind: 'literal', text: 'null' };

/** A quoted text of the template, or a variable outside quotes. */
const TEMPLATE_PART = /"(?:[^"\\]|\\.)*"|<([^<>\s]+)>/g;
const VARIABLE = /<([^<>\s]+)>/g;

function transform({ inputPathsMap = {}, inputTemplate }: InputTransformer, matched: MatchedEvent): string {
  const event = readJson(matched.eventJson);
  const predefined = predefinedVariables(matched, event);
  const lookUp = (name: string): JsonNode | undefined => {
    const path = inputPathsMap[name];
    return path === undefined ? predefined[name] : valueAt(event, path);
  };
  return inputTemplate.replace(TEMPLATE_PART, (part, name?: string) =>
    name === undefined ? fillText(part, lookUp) : writeJson(lookUp(name) ?? NOTHING),
  );
}

/** Within quotes a text is inserted bare and anything else as escaped JSON; what is missing leaves nothing. */
function fillText(quoted: string, lookUp: (name: string) => JsonNode | undefined): string {
  return quoted.replace(VARIABLE, (_, name: string) => {
    const value = lookUp(name);
    if (!value) return '';
    const text = value.kind === 'string' ? value.value : writeJson(value);
    return JSON.stringify(text).slice(1, -1);
  });
}

function predefinedVariables(matched: MatchedEvent, event: JsonNode): Readonly<Record<string, JsonNode>> {
  const text = (value: string): JsonNode => ({ kind: 'string', value });
  const entries = event.kind === 'object' ? event.entries : [];
  return {
    'aws.events.rule-arn': text(matched.ruleArn),
    'aws.events.rule-name': text(matched.ruleName),
    'aws.events.event.ingestion-time': text(matched.ingestionTime),
    'aws.events.event': { kind: 'object', entries: entries.filter(([name]) => name !== 'detail') },
    'aws.events.event.json': event,
  };
}
