/** A JSON object whose shape is OpenAPI's affair. */
export type JsonObject = { readonly [name: string]: unknown };

/** A reference to one of the document's components. */
export function component(kind: 'schemas' | 'headers' | 'parameters', name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` };
}

/** `get-user-status` as `getUserStatus`. */
export function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
