import { type JsonNode, readJson, valueAtPath, writeJson } from './json-tree.ts';
import type { InputTransformer, RuleTarget } from './rule.ts';

/** A matched event. A template may use all these fields, besides the variables that it declares. */
export interface MatchedEvent {
  readonly eventJson: string;
  readonly ruleName: string;
  readonly ruleArn: string;
  readonly ingestionTime: string;
}

/** Returns the text that a target receives for a matched event: the event, unless the target asks for another form. */
export function buildTargetInput(target: RuleTarget, matched: MatchedEvent): string {
  if (target.input !== undefined) return target.input;
  if (target.inputPath !== undefined) {
    return writeJson(valueAtPath(readJson(matched.eventJson), target.inputPath) ?? nullNode);
  }
  return target.inputTransformer ? fillTemplate(target.inputTransformer, matched) : matched.eventJson;
}

const nullNode: JsonNode = { kind: 'literal', text: 'null' };

/** A quoted text of the template, or a variable outside quotes. */
const templatePart = /"(?:[^"\\]|\\.)*"|<([^<>\s]+)>/g;
const variable = /<([^<>\s]+)>/g;

function fillTemplate({ inputPathsMap = {}, inputTemplate }: InputTransformer, matched: MatchedEvent): string {
  const event = readJson(matched.eventJson);
  const predefined = predefinedVariables(matched, event);
  const lookUp = (name: string): JsonNode | undefined => {
    const path = inputPathsMap[name];
    return path === undefined ? predefined[name] : valueAtPath(event, path);
  };
  return inputTemplate.replace(templatePart, (part, name?: string) =>
    name === undefined ? fillText(part, lookUp) : writeJson(lookUp(name) ?? nullNode),
  );
}

/**
 * Replaces the variables in a quoted text. A text value is inserted without its quotes, any other value as escaped
 * JSON, and a missing value as nothing.
 */
function fillText(quoted: string, lookUp: (name: string) => JsonNode | undefined): string {
  return quoted.replace(variable, (_, name: string) => {
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
