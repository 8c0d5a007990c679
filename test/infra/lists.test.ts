import { existsSync, globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { consumers } from '../../functions/consumers.ts';
import { codeHostOf, contracts } from '../../functions/contracts.ts';
import { managementContracts, managementResources } from '../../functions/management/contracts.ts';
import { triggers } from '../../functions/triggers.ts';
import { hosts, managementHost, managementPath } from '../../shared/contracts/contract.ts';

const endpointFolders = [...new Set(contracts.map((contract) => `functions/${codeHostOf(contract)}/${contract.name}`))];
const consumerFolders = consumers.map(({ name }) => `functions/consumers/${name}`);
const triggerFolders = triggers.map(({ name }) => `functions/identity/${name}`);
const isVariable = (segment: string) => segment.startsWith('{');

describe('the lists of functions', () => {
  it('contain each contract once', () => {
    const onDisk = globSync('functions/*/*/contract.ts').map((file) => file.replace('/contract.ts', ''));
    expect(endpointFolders.toSorted()).toEqual(onDisk.toSorted());
  });

  it('contain each consumer once', () => {
    const onDisk = globSync('functions/consumers/*/consumer.ts').map((file) => file.replace('/consumer.ts', ''));
    expect(consumerFolders.toSorted()).toEqual(onDisk.toSorted());
  });

  it('contain each function of the user pool once', () => {
    const onDisk = globSync('functions/identity/*/trigger.ts').map((file) => file.replace('/trigger.ts', ''));
    expect(triggerFolders.toSorted()).toEqual(onDisk.toSorted());
  });

  it.each([...endpointFolders, ...consumerFolders, ...triggerFolders])(
    'contain %s, and a file with its handler exists',
    (folder) => {
      expect(existsSync(`${folder}/handler.ts`)).toBe(true);
    },
  );
});

describe('the list of the dashboard’s resources', () => {
  const listed = Object.entries(managementResources).flatMap(([resource, own]) =>
    own.map(({ name }) => `functions/management/${resource}/${name}`),
  );

  it('contains each contract once, and beside each contract is its handler', () => {
    const onDisk = globSync('functions/management/*/*/contract.ts').map((file) => file.replace('/contract.ts', ''));
    expect(listed.toSorted()).toEqual(onDisk.toSorted());
    for (const folder of listed) expect(existsSync(`${folder}/handler.ts`)).toBe(true);
  });

  it('names each endpoint once, because the names are those of the dashboard’s types', () => {
    const names = managementContracts.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it.each(Object.entries(managementResources))(
    'has the same endpoints as the function of %s',
    async (resource, own) => {
      const { handler } = await import(`../../functions/management/${resource}/index.ts`);
      expect(handler.contracts).toHaveLength(own.length);
      expect(new Set(handler.contracts)).toEqual(new Set(own));
    },
  );

  it('has an organisation in the path of exactly the endpoints for its people, and each names a permission', () => {
    for (const { name, path, credential, permission } of managementContracts) {
      const isInOrganisation = /^\/organisations\/\{organisation_id\}(\/|$)/.test(path);
      expect({ name, isInOrganisation }).toEqual({ name, isInOrganisation: credential.kind === 'staff' });
      expect({ name, isPermitted: permission !== undefined }).toEqual({ name, isPermitted: isInOrganisation });
      if (!isInOrganisation) expect(path).toMatch(/^\/session(\/|$)/);
    }
  });

  it('stays below the one path that leads from the dashboard to its API', () => {
    expect(managementPath).toBe('/api');
  });
});

describe.each([...hosts, managementHost])("the %s host's paths", (host) => {
  const own = [...contracts, ...managementContracts].filter((contract) => contract.host === host);

  it('use one variable name per level, as API Gateway requires', () => {
    const namesByLevel = new Map<string, Set<string>>();
    for (const { path } of own) {
      const segments = path.split('/').slice(1);
      for (const [depth, segment] of segments.entries()) {
        if (!isVariable(segment)) continue;
        const level = segments
          .slice(0, depth)
          .map((parent) => (isVariable(parent) ? '{}' : parent))
          .join('/');
        namesByLevel.set(level, (namesByLevel.get(level) ?? new Set()).add(segment));
      }
    }

    const ambiguous = [...namesByLevel].filter(([, names]) => names.size > 1);
    expect(ambiguous).toEqual([]);
  });

  it('have at most one contract per method', () => {
    const routes = own.map(({ method, path }) => `${method} ${path}`);
    expect(routes).toEqual([...new Set(routes)]);
  });

  it('contain exactly the parameters that their contracts declare', () => {
    for (const { name, path, params } of own) {
      const variables = [...path.matchAll(/\{(\w+)\}/g)].map(([, variable]) => variable);
      expect({ name, variables }).toEqual({ name, variables: Object.keys(params?.shape ?? {}) });
    }
  });
});
