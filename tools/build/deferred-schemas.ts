import * as z from 'zod/v4/mini';

/**
 * Replaces `zod/mini` in the Lambda bundles (tools/build/bundle.ts). A function loads hundreds of schemas, and a request
 * uses few of them. So each schema is built when it is first used, and not when the function starts. Functions that are
 * not in the list below build their schema at once.
 */
export * from 'zod/v4/mini';

type Schema = z.ZodMiniType;

/** Stands for a schema that is not built yet. */
class Deferred {
  readonly #build: () => Schema;
  #built: Schema | undefined;

  constructor(build: () => Schema) {
    this.#build = build;
  }

  get built(): Schema {
    this.#built ??= this.#build();
    return this.#built;
  }

  /** Zod reads this property at every parse. After the first time, it is a property of the object itself. */
  get _zod(): Schema['_zod'] {
    const { _zod: value } = this.built;
    Object.defineProperty(this, '_zod', { value });
    return value;
  }

  /** Modules call this method while they load. */
  check(...checks: Parameters<Schema['check']>): Deferred {
    return new Deferred(() => this.built.check(...checks));
  }
}

/** All other properties and methods are those of the built schema. */
const properties = new Proxy({}, { get: (_, name, { built }: Deferred): unknown => Reflect.get(built, name) });
Object.setPrototypeOf(Deferred.prototype, properties);

/** Makes a function of zod return a schema, or a check, that is built later. */
const deferred = <Build extends (...args: never[]) => object>(build: Build): Build =>
  ((...args: never[]) => new Deferred(() => build(...args) as Schema)) as unknown as Build;

export const _default = /* @__PURE__ */ deferred(z._default);
export const array = /* @__PURE__ */ deferred(z.array);
export const boolean = /* @__PURE__ */ deferred(z.boolean);
export const discriminatedUnion = /* @__PURE__ */ deferred(z.discriminatedUnion);
export const extend = /* @__PURE__ */ deferred(z.extend);
export const gte = /* @__PURE__ */ deferred(z.gte);
export const int = /* @__PURE__ */ deferred(z.int);
export const literal = /* @__PURE__ */ deferred(z.literal);
export const looseObject = /* @__PURE__ */ deferred(z.looseObject);
export const lte = /* @__PURE__ */ deferred(z.lte);
export const maxLength = /* @__PURE__ */ deferred(z.maxLength);
export const minLength = /* @__PURE__ */ deferred(z.minLength);
export const nullable = /* @__PURE__ */ deferred(z.nullable);
export const nullish = /* @__PURE__ */ deferred(z.nullish);
export const number = /* @__PURE__ */ deferred(z.number);
export const object = /* @__PURE__ */ deferred(z.object);
export const omit = /* @__PURE__ */ deferred(z.omit);
export const optional = /* @__PURE__ */ deferred(z.optional);
export const pick = /* @__PURE__ */ deferred(z.pick);
export const pipe = /* @__PURE__ */ deferred(z.pipe);
export const record = /* @__PURE__ */ deferred(z.record);
export const refine = /* @__PURE__ */ deferred(z.refine);
export const regex = /* @__PURE__ */ deferred(z.regex);
export const strictObject = /* @__PURE__ */ deferred(z.strictObject);
export const string = /* @__PURE__ */ deferred(z.string);
export const superRefine = /* @__PURE__ */ deferred(z.superRefine);
export const transform = /* @__PURE__ */ deferred(z.transform);
export const trim = /* @__PURE__ */ deferred(z.trim);
export const union = /* @__PURE__ */ deferred(z.union);
export const unknown = /* @__PURE__ */ deferred(z.unknown);
export const uuid = /* @__PURE__ */ deferred(z.uuid);
const enumOf = /* @__PURE__ */ deferred(z.enum);

export { enumOf as enum };
