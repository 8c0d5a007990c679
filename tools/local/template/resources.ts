import type { Account } from '../account.ts';
import type { Declaration, Stack } from './assembly.ts';
import { buildShortId, type Identity, type IdentityInput, identify } from './identity.ts';
import { evaluate, noValue, type Scope } from './intrinsics.ts';
import { requireKnownTypes } from './resource-types.ts';

/** One resource of the platform, from any stack. */
export interface Resource {
  readonly stack: string;
  readonly logicalId: string;
  readonly type: string;
  readonly ref: string;
  attribute(name: string): string;
  /** Returns the properties with every intrinsic function evaluated. Their shape is not checked. */
  properties<Shape>(): Shape;
  /** Returns the folder of an asset of this stack, by its object key in the bootstrap bucket. */
  asset(objectKey: string): string;
}

export interface ResourceContext {
  readonly account: Account;
  readonly sqsEndpoint: string;
}

/** Every AWS service that the platform uses accepts names of this length. */
const nameLimit = 64;

/** Builds a name like CloudFormation's names, but the same at every start. */
function buildPhysicalName(stack: string, logicalId: string): string {
  const name = `${stack}-${logicalId}`;
  return name.length <= nameLimit ? name : `${name.slice(0, nameLimit - 11)}-${buildShortId(name)}`;
}

/** The resources of all stacks of an assembly, with the references between them resolved. */
export class Resources {
  readonly all: readonly Resource[];
  readonly #stacks: ReadonlyMap<string, Stack>;
  readonly #context: ResourceContext;
  readonly #identities = new Map<string, Identity>();

  /** @throws Error with each resource whose type is unknown */
  constructor(stacks: readonly Stack[], context: ResourceContext) {
    this.#stacks = new Map(stacks.map((stack) => [stack.name, stack]));
    this.#context = context;
    this.all = stacks.flatMap((stack) => this.#readResources(stack));
    requireKnownTypes(this.all);
  }

  ofType(...types: readonly string[]): Resource[] {
    return this.all.filter(({ type }) => types.includes(type));
  }

  #readResources(stack: Stack): Resource[] {
    const scope = this.#createScope(stack);
    if (stack.template.Conditions) throw new Error(`${stack.name}: templates with conditions do not run here`);
    return Object.entries(stack.template.Resources ?? {}).map(([logicalId, declaration]) =>
      this.#createResource(stack, logicalId, declaration, scope),
    );
  }

  #createResource(stack: Stack, logicalId: string, declaration: Declaration, scope: Scope): Resource {
    const identity = (): Identity => this.#findIdentity(stack, logicalId);
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

  #findIdentity(stack: Stack, logicalId: string): Identity {
    const key = `${stack.name}.${logicalId}`;
    const known = this.#identities.get(key);
    if (known) return known;
    const declaration = stack.template.Resources?.[logicalId];
    if (!declaration) throw new Error(`stack ${stack.name} has no ${logicalId}, but refers to it`);
    const made = identify(declaration.Type, this.#createInput(stack, logicalId, declaration));
    this.#identities.set(key, made);
    return made;
  }

  #createInput(stack: Stack, logicalId: string, declaration: Declaration): IdentityInput {
    const scope = this.#createScope(stack);
    const property = (name: string): unknown => {
      const value = declaration.Properties?.[name];
      const evaluated = value === undefined ? noValue : evaluate(value, scope);
      return evaluated === noValue ? undefined : evaluated;
    };
    return {
      ...this.#context,
      stack: stack.name,
      logicalId,
      name: (name) => String(property(name) ?? buildPhysicalName(stack.name, logicalId)),
      property: (name) => String(property(name) ?? ''),
    };
  }

  #createScope(stack: Stack): Scope {
    return {
      resolveRef: (name) =>
        this.#findPseudoParameter(stack, name) ??
        this.#findParameter(stack, name) ??
        this.#findIdentity(stack, name).ref,
      attribute: (logicalId, attribute) => {
        const value = this.#findIdentity(stack, logicalId).attributes[attribute];
        if (value === undefined) throw new Error(`${logicalId} has no attribute ${attribute} on the local platform`);
        return value;
      },
      importValue: (exportName) => this.#findExport(exportName),
    };
  }

  #findPseudoParameter(stack: Stack, name: string): unknown {
    const { id, region, partition } = this.#context.account;
    const values: Record<string, unknown> = {
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

  #findParameter(stack: Stack, name: string): unknown {
    const parameter = stack.template.Parameters?.[name];
    if (parameter && parameter.Default === undefined)
      throw new Error(`parameter ${name} of ${stack.name} has no default`);
    const isStored = parameter?.Type?.startsWith('AWS::SSM::Parameter::Value<') === true;
    return isStored ? this.#findStoredParameter(String(parameter?.Default)) : parameter?.Default;
  }

  /** Returns the value of a parameter that a stack puts into the Parameter Store. */
  #findStoredParameter(parameterName: string): unknown {
    const stored = this.ofType('AWS::SSM::Parameter').map((one) => one.properties<{ Name: string; Value: string }>());
    const found = stored.find(({ Name }) => Name === parameterName);
    if (!found) throw new Error(`no stack stores the parameter ${parameterName}`);
    return found.Value;
  }

  #findExport(exportName: string): unknown {
    for (const stack of this.#stacks.values()) {
      const scope = this.#createScope(stack);
      const outputs = Object.values(stack.template.Outputs ?? {});
      const output = outputs.find(({ Export }) => Export && evaluate(Export.Name, scope) === exportName);
      if (output) return evaluate(output.Value, scope);
    }
    throw new Error(`no stack exports ${exportName}`);
  }
}
