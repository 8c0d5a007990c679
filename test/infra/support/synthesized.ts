import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type RewardsPlatformProps, rewardsPlatform } from '../../../infra/platform-app.ts';
import { SitesStack } from '../../../infra/stacks/sites-stack.ts';
import type { StageName } from '../../../infra/stages.ts';

// `npm run synth` runs CDK's own checks; here they would double the time of every file.
process.env.CDK_VALIDATION = 'false';

/** A value of a template: JSON, with intrinsic functions left as they are. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export interface Resource {
  readonly id: string;
  readonly Type: string;
  readonly Properties: JsonObject;
  readonly DeletionPolicy?: string;
  readonly UpdatePolicy?: JsonObject;
}

export interface Synthesized {
  readonly all: readonly Resource[];
  ofType(type: string): Resource[];
  /** The only resource of a type. */
  only(type: string): Resource;
  /** The resource to which a `Ref` or `Fn::GetAtt` refers. */
  referredBy(value: Json | undefined): Resource;
  /** The Lambda made from a folder below functions/. */
  functionIn(folder: string): Resource;
  readonly outputs: readonly string[];
}

/** The app without code: assertions about templates do not need the bundles. It has all functions by default. */
export function synthesizedApp(stage: StageName, functions?: RewardsPlatformProps['functions']) {
  return rewardsPlatform({
    ...(functions && { functions }),
    context: { stage, 'aws:cdk:disable-stack-trace': true },
    code: (folder) => Code.fromInline(`// ${folder}`),
    dashboard: 'test/fixtures/site',
  });
}

const done = new Map<StageName, Synthesized>();

/**
 * All resources of a stage, from all its stacks together. The sites have a test file of their own: CDK makes functions
 * for them that follow no rule of ours.
 */
export function synthesized(stage: StageName): Synthesized {
  const found = done.get(stage) ?? synthesize(stage);
  done.set(stage, found);
  return found;
}

function synthesize(stage: StageName): Synthesized {
  const all = synthesizedApp(stage).node.children.filter(Stack.isStack);
  const stacks = all.filter((stack) => !(stack instanceof SitesStack));
  const templates = stacks.map((stack) => Template.fromStack(stack).toJSON());
  const resources = templates.flatMap((template) =>
    Object.entries<Omit<Resource, 'id'>>(template.Resources).map(([id, resource]) => ({ ...resource, id })),
  );
  const byId = new Map(resources.map((resource) => [resource.id, resource]));

  const ofType = (type: string) => resources.filter((resource) => resource.Type === type);

  return {
    all: resources,
    ofType,
    only: (type) => {
      const [found, ...others] = ofType(type);
      if (!found || others.length > 0) throw new Error(`not one ${type}, but ${others.length + (found ? 1 : 0)}`);
      return found;
    },
    referredBy: (value) => {
      const found = byId.get(logicalId(value) ?? '');
      if (!found) throw new Error(`refers to no resource: ${JSON.stringify(value)}`);
      return found;
    },
    functionIn: (folder) => {
      const found = resources.find(
        ({ Type, Properties }) => Type === 'AWS::Lambda::Function' && folderOf(Properties) === folder,
      );
      if (!found) throw new Error(`no function is made from ${folder}`);
      return found;
    },
    outputs: templates.flatMap((template) => Object.keys(template.Outputs ?? {})),
  };
}

/** The folder of a Lambda's code; see `synthesizedApp`. */
export function folderOf(lambda: JsonObject): string | undefined {
  const { ZipFile } = (lambda.Code ?? {}) as { ZipFile?: string };
  return ZipFile?.replace('// ', '');
}

/** The name in `{ Ref }` or `{ Fn::GetAtt }`. */
export function logicalId(value: Json | undefined): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { Ref: ref, 'Fn::GetAtt': attribute } = value as { Ref?: string; 'Fn::GetAtt'?: readonly string[] };
  return ref ?? attribute?.[0];
}

/** All texts within a value, joined. Tests search in it, because a template may write an ARN in several parts. */
export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return String(value);
  return Object.values(value).map(textOf).join('');
}
