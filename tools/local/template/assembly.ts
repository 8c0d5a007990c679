import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json | undefined };
export type JsonObject = { [name: string]: Json | undefined };

/** One resource in the template, with its intrinsic functions not evaluated. */
export interface Declaration {
  readonly Type: string;
  readonly Properties?: JsonObject;
}

export interface Template {
  readonly Resources?: Record<string, Declaration>;
  readonly Outputs?: Record<string, { readonly Value: Json; readonly Export?: { readonly Name: Json } }>;
  readonly Parameters?: Record<string, { readonly Type?: string; readonly Default?: Json }>;
  readonly Conditions?: object;
}

export interface Stack {
  readonly name: string;
  readonly template: Template;
  /** Path of each asset, by its object key in the bootstrap bucket. */
  readonly assets: ReadonlyMap<string, string>;
}

interface Manifest {
  readonly artifacts: Record<
    string,
    {
      readonly type: string;
      readonly properties?: {
        readonly templateFile?: string;
        readonly stackName?: string;
        readonly file?: string;
        readonly directoryName?: string;
      };
    }
  >;
}

interface AssetManifest {
  readonly files: Record<
    string,
    {
      readonly source: { readonly path: string };
      readonly destinations: Record<string, { readonly objectKey: string }>;
    }
  >;
}

function readJson<Content>(file: string): Content {
  const content: Content = JSON.parse(readFileSync(file, 'utf8'));
  return content;
}

function readAssets(directory: string, file: string): [string, string][] {
  const { files } = readJson<AssetManifest>(join(directory, file));
  return Object.values(files).flatMap(({ source, destinations }) =>
    Object.values(destinations).map(({ objectKey }): [string, string] => [objectKey, resolve(directory, source.path)]),
  );
}

/**
 * Reads a cloud assembly (cdk.out) and the assemblies of its stages.
 * @throws Error when the folder has no cloud assembly
 */
export function loadAssembly(directory: string): Stack[] {
  let manifest: Manifest;
  try {
    manifest = readJson<Manifest>(join(directory, 'manifest.json'));
  } catch (error) {
    throw new Error(`no cloud assembly in ${directory}: synthesize the app first`, { cause: error });
  }
  const artifacts = Object.entries(manifest.artifacts).map(([id, { type, properties }]) => ({
    id,
    type,
    ...properties,
  }));
  const assets = new Map(
    artifacts.flatMap(({ type, file }) => (type === 'cdk:asset-manifest' && file ? readAssets(directory, file) : [])),
  );
  const own = artifacts.flatMap(({ id, type, templateFile, stackName }) =>
    type === 'aws:cloudformation:stack' && templateFile
      ? [{ name: stackName ?? id, template: readJson<Template>(join(directory, templateFile)), assets }]
      : [],
  );
  const nested = artifacts.flatMap(({ type, directoryName }) =>
    type === 'cdk:cloud-assembly' && directoryName ? loadAssembly(join(directory, directoryName)) : [],
  );
  return [...own, ...nested];
}
