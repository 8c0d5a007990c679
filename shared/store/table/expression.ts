/** Update and condition expressions from data, so that names and values are escaped in one place. */

/** One condition on one attribute; a write's conditions all have to hold. */
export type Condition =
  | { readonly attribute: string; readonly is: 'absent' | 'present' }
  | {
      readonly attribute: string;
      readonly is: '=' | '<>' | '<' | '<=' | '>' | '>=';
      readonly value: string | number | boolean;
    }
  /** A list is equal to one of the same texts in the same order. */
  | { readonly attribute: string; readonly is: '='; readonly value: readonly string[] }
  /** A number that is no more than the value, or not there at all. */
  | { readonly attribute: string; readonly is: 'at-most'; readonly value: number }
  | { readonly attribute: string; readonly is: 'in'; readonly values: readonly (string | number)[] };

/** What an update changes. `add` adds to a number that is there, or to zero. */
export interface Changes {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly add?: Readonly<Record<string, number>>;
  readonly remove?: readonly string[];
}

/** An expression's placeholders, filled as the expression is written. */
export class Placeholders {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, unknown> = {};

  name(attribute: string): string {
    const placeholder = `#${attribute}`;
    this.names[placeholder] = attribute;
    return placeholder;
  }

  value(value: unknown): string {
    const placeholder = `:v${Object.keys(this.values).length}`;
    this.values[placeholder] = value;
    return placeholder;
  }

  /** The parameters of a command, without the empty ones that DynamoDB refuses. */
  get parameters() {
    return {
      ...(Object.keys(this.names).length > 0 && { ExpressionAttributeNames: this.names }),
      ...(Object.keys(this.values).length > 0 && { ExpressionAttributeValues: this.values }),
    };
  }
}

/** `ConditionExpression` text of conditions that all have to hold. */
export function conditionText(conditions: readonly Condition[], placeholders: Placeholders): string {
  return conditions
    .map((condition) => {
      const name = placeholders.name(condition.attribute);
      switch (condition.is) {
        case 'absent':
          return `attribute_not_exists(${name})`;
        case 'present':
          return `attribute_exists(${name})`;
        case 'at-most':
          return `(attribute_not_exists(${name}) OR ${name} <= ${placeholders.value(condition.value)})`;
        case 'in':
          return `${name} IN (${condition.values.map((value) => placeholders.value(value)).join(', ')})`;
        default:
          return `${name} ${condition.is} ${placeholders.value(condition.value)}`;
      }
    })
    .join(' AND ');
}

/** `UpdateExpression` text of changes. */
export function changeText(changes: Changes, placeholders: Placeholders): string {
  const set = Object.entries(changes.set ?? {}).map(
    ([attribute, value]) => `${placeholders.name(attribute)} = ${placeholders.value(value)}`,
  );
  const add = Object.entries(changes.add ?? {}).map(
    ([attribute, value]) => `${placeholders.name(attribute)} ${placeholders.value(value)}`,
  );
  const remove = (changes.remove ?? []).map((attribute) => placeholders.name(attribute));
  return [
    set.length > 0 ? `SET ${set.join(', ')}` : '',
    add.length > 0 ? `ADD ${add.join(', ')}` : '',
    remove.length > 0 ? `REMOVE ${remove.join(', ')}` : '',
  ]
    .filter(Boolean)
    .join(' ');
}
