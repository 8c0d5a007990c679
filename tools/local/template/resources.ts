import type { Account } from '../account.ts';
import type { Declaration, Json, Stack } from './assembly.ts';
import { type Identity, identify, type Subject, shortId } from './identity.ts';
import { evaluate, noValue, type Resolved, type Scope } from './intrinsics.ts';
import { requireKnownTypes } from './resource-types.ts';

/** One resource of the platform, whatever stack it came from. */
export interface Resource {
  readonly stack: string;
  readonly logicalId: string;
  readonly type: string;
  readonly ref: string;
  attribute(name: string): string;
  /** The properties with every intrinsic function evaluated. */
  properties<Shape>(): Shape;
  /** Folder of an asset of this resource's stack, by its key in the bootstrap bucket. */
  asset(objectKey: string): string;
}

export interface Surroundings {
  readonly account: Account;
  readonly sqsEndpoint: string;
}

/** The shortest limit that any service sets to names. */
const nameLimit = 64;

/** A name as CloudFormation makes them, but the same at every start. */
function physicalName(stack: string, logicalId: string): string {
  const name = `${stack}-${logicalId}`;
  return name.length <= nameLimit ? name : `${name.slice(0, nameLimit - 11)}-${shortId(name)}`;
}

/** All resources of all stacks of an assembly, with the references between them resolved. */
export class Resources {
  readonly all: readonly Resource[];
  readonly #stacks: ReadonlyMap<string, Stack>;
  readonly #surroundings: Surroundings;
  readonly #identities = new Map<string, Identity>();

  /** @throws Error naming each resource whose type is not known. */
  constructor(stacks: readonly Stack[], surroundings: Surroundings) {
    this.#stacks = new Map(stacks.map((stack) => [stack.name, stack]));
    this.#surroundings = surroundings;
    this.all = stacks.flatMap((stack) => this.#resourcesOf(stack));
    requireKnownTypes(this.all);
  }

  ofType(...types: readonly string[]): Resource[] {
    return this.all.filter(({ type }) => types.includes(type));
  }

  #resourcesOf(stack: Stack): Resource[] {
    const scope = this.#scope(stack);
    return Object.entries(stack.template.Resources ?? {})
      .filter(([, { Condition }]) => Condition === undefined || scope.condition(Condition))
      .map(([logicalId, declaration]) => this.#resource(stack, logicalId, declaration, scope));
  }

  #resource(stack: Stack, logicalId: string, declaration: Declaration, scope: Scope): Resource {
    const identity = (): Identity => this.#identity(stack, logicalId);
    return {
      stack: stack.name,
      logicalId,
      type: declaration.Type,
      get ref() {
        return identity().ref;
      },
      attribute: (name) => scope.attribute(logicalId, name),
      properties: <Shape>() => evaluate(declaration.Properties ?? {}, scope) as Shape,
      asset: (objectKey) => {
        const folder = stack.assets.get(objectKey);
        if (folder === undefined) throw new Error(`${logicalId}: the assembly has no asset ${objectKey}`);
        return folder;
      },
    };
  }

  #identity(stack: Stack, logicalId: string): Identity {
    const key = `${stack.name}.${logicalId}`;
    const known = this.#identities.get(key);
    if (known) return known;
    const declaration = stack.template.Resources?.[logicalId];
    if (!declaration) throw new Error(`stack ${stack.name} refers to ${logicalId}, which it does not have`);
    const made = identify(declaration.Type, this.#subject(stack, logicalId, declaration));
    this.#identities.set(key, made);
    return made;
  }

  #subject(stack: Stack, logicalId: string, declaration: Declaration): Subject {
    const scope = this.#scope(stack);
    const property = (name: string): Resolved => {
      const value = declaration.Properties?.[name];
      const evaluated = value === undefined ? noValue : evaluate(value, scope);
      return evaluated === noValue ? undefined : evaluated;
    };
    return {
      ...this.#surroundings,
      stack: stack.name,
      logicalId,
      name: (name) => String(property(name) ?? physicalName(stack.name, logicalId)),
      property: (name) => String(property(name) ?? ''),
    };
  }

  #scope(stack: Stack): Scope {
    const { Conditions, Mappings } = stack.template;
    const scope: Scope = {
      ref: (name) =>
        this.#pseudoParameter(stack, name) ?? this.#parameter(stack, name) ?? this.#identity(stack, name).ref,
      attribute: (logicalId, attribute) => {
        const value = this.#identity(stack, logicalId).attributes[attribute];
        if (value === undefined) throw new Error(`${logicalId} has no attribute ${attribute} on the local platform`);
        return value;
      },
      importValue: (exportName) => this.#exported(exportName),
      stackOutput: (stackName, outputName) => this.#output(stackName, outputName),
      mapping: (map, top, second) => Mappings?.[map]?.[top]?.[second],
      condition: (name) => evaluate(Conditions?.[name] ?? false, scope) === true,
    };
    return scope;
  }

  #pseudoParameter(stack: Stack, name: string): Resolved {
    const { id, region, partition } = this.#surroundings.account;
    const values: Record<string, Resolved> = {
      'AWS::AccountId': id,
      'AWS::Region': region,
      'AWS::Partition': partition,
      'AWS::URLSuffix': 'amazonaws.com',
      'AWS::StackName': stack.name,
      'AWS::StackId': `arn:${partition}:cloudformation:${region}:${id}:stack/${stack.name}/local`,
      'AWS::NoValue': noValue,
    };
    return values[name];
  }

  #parameter(stack: Stack, name: string): Json | undefined {
    const parameter = stack.template.Parameters?.[name];
    if (parameter && parameter.Default === undefined)
      throw new Error(`parameter ${name} of ${stack.name} has no default`);
    return parameter?.Default;
  }

  #exported(exportName: string): Resolved {
    for (const stack of this.#stacks.values()) {
      const scope = this.#scope(stack);
      const outputs = Object.values(stack.template.Outputs ?? {});
      const output = outputs.find(({ Export }) => Export && evaluate(Export.Name, scope) === exportName);
      if (output) return evaluate(output.Value, scope);
    }
    throw new Error(`no stack exports ${exportName}`);
  }

  #output(stackName: string, outputName: string): Resolved {
    const stack = this.#stacks.get(stackName);
    const output = stack?.template.Outputs?.[outputName];
    if (!stack || !output) throw new Error(`no output ${outputName} of stack ${stackName}`);
    return evaluate(output.Value, this.#scope(stack));
  }
}
