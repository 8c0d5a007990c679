/** Who may import whom (docs/architecture/layers.md). `npm run check` fails on any other import. */

/** Every folder of the project. */
const ours = '^(infra|functions|shared|tools|test|clients|dashboard)/';

/** The files of one place may import, of the project's own, only what `to` lists. */
const only = (name, from, to, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: ours, pathNot: to },
});

const adapters = '(store|events|webhooks|programs|payments|identity)';

/** The folders that each folder of the store may import, beside itself and the table's engine. */
const storeImports = {
  table: [],
  outbox: [],
  credential: ['outbox'],
  award: [],
  member: [],
  organisation: ['credential'],
  staff: ['credential', 'organisation'],
  webhook: ['outbox'],
  order: ['award', 'outbox'],
  trigger: ['award', 'outbox'],
  ledger: ['award', 'member', 'outbox'],
  campaign: ['ledger', 'organisation', 'outbox'],
  connect: ['credential', 'ledger', 'member', 'outbox'],
  person: ['ledger', 'member', 'organisation'],
};

const storeRules = Object.entries(storeImports).map(([folder, others]) => ({
  name: `store-${folder}`,
  comment: 'Aggregates of the store import one another in one direction.',
  severity: 'error',
  from: { path: `^shared/store/${folder}/` },
  to: { path: '^shared/store/', pathNot: `^shared/store/(${[folder, 'table', ...others].join('|')})/` },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-circles',
      comment: 'Folders that import each other are one room in two places. A folder and one inside it are one place.',
      severity: 'error',
      scope: 'folder',
      from: { pathNot: '^test(/|$)' },
      to: { circular: true },
    },
    only('contracts', '^shared/contracts/', ['^shared/contracts/'], 'Declarations stand on the ground floor.'),
    {
      name: 'pure-core',
      comment: 'The core decides from its arguments alone: no AWS, no clock, no randomness, no environment.',
      severity: 'error',
      from: { path: '^shared/domain/' },
      to: { pathNot: ['^shared/(domain|contracts)/', '(^|/)node_modules/zod/'] },
    },
    only(
      'adapters',
      `^shared/${adapters}/`,
      [`^shared/(${adapters}|domain|contracts)/`],
      'Adapters import the core and each other.',
    ),
    only(
      'payments',
      '^shared/payments/',
      ['^shared/(payments|domain|contracts)/'],
      'Adapters of payment platforms translate: they read no table and send nothing.',
    ),
    only(
      'store-engine',
      '^shared/store/table/',
      ['^shared/store/table/', '^shared/contracts/'],
      'The engine knows no aggregate.',
    ),
    ...storeRules,
    only(
      'operations',
      '^shared/operations/',
      [`^shared/(operations|${adapters}|domain|contracts)/`],
      'A use case knows neither HTTP nor the composition.',
    ),
    only(
      'runtime',
      '^shared/runtime/',
      [`^shared/(runtime|operations|${adapters}|domain|contracts)/`],
      'The composition root knows what it composes.',
    ),
    only('http', '^shared/http/', ['^shared/'], 'HTTP stands on all of shared, and imports no function.'),
    only('functions', '^functions/', ['^shared/', '^functions/'], 'Functions import shared code.'),
    {
      name: 'no-function-imports-another',
      comment: 'Each function is a Lambda of its own; two functions share code in shared/.',
      severity: 'error',
      from: { path: '^functions/([^/]+)/([^/]+)/', pathNot: '/get-openapi/handler\\.ts$' },
      to: { path: '^functions/', pathNot: '^functions/$1/$2/' },
    },
    {
      name: 'openapi-from-contracts',
      comment: 'The OpenAPI documents are made from the list of contracts alone.',
      severity: 'error',
      from: { path: '^functions/every-host/get-openapi/' },
      to: { path: '^functions/', pathNot: ['^functions/every-host/get-openapi/', '^functions/contracts\\.ts$'] },
    },
    only(
      'infra',
      '^infra/',
      [
        '^infra/',
        '^functions/(contracts|consumers|triggers)\\.ts$',
        '^functions/(management/)?[^/]+/[^/]+/(contract|consumer|trigger)\\.ts$',
        '^functions/management/contracts\\.ts$',
        '^shared/contracts/',
      ],
      'Infrastructure is made from declarations: never from a handler or a repository.',
    ),
    only(
      'local',
      '^tools/local/',
      ['^tools/local/', '^tools/build/docs/postman-folders\\.ts$'],
      'The local platform reads the synthesized template only. Its API reference plays the steps of the collection.',
    ),
    only(
      'program-server',
      '^tools/program-server/',
      ['^tools/program-server/'],
      'A partner’s program knows the published contract only.',
    ),
    only(
      'program-check',
      '^tools/program-check/',
      ['^tools/program-check/', '^shared/programs/contract\\.ts$', '^shared/webhooks/standard-webhooks\\.ts$'],
      'The kit for partners is made from the published contract.',
    ),
    only('admin', '^tools/admin/', ['^tools/admin/', '^shared/'], 'The command line is a door to the same use cases.'),
    only(
      'deploy',
      '^tools/deploy/',
      [
        ...['^tools/deploy/', '^infra/stages\\.ts$', '^tools/scale/'],
        ...['^tools/bench/report\\.ts$', '^shared/programs/aws-signature\\.ts$'],
        ...['^tools/command\\.ts$', '^tools/aws-account\\.ts$'],
      ],
      'The deployment knows the stages and the model of their load; the stacks it reads from the assembly.',
    ),
    only(
      'try-deploy',
      '^tools/try-deploy/',
      ['^tools/try-deploy/', '^tools/local/(ports|stoppers)\\.ts$', '^tools/command\\.ts$'],
      'The trial runs the commands of the project as a person does.',
    ),
    only(
      'check-templates',
      '^tools/check-templates/',
      [
        ...['^tools/check-templates/', '^tools/try-deploy/(python-package|run-program)\\.ts$'],
        ...['^infra/platform-app\\.ts$', '^tools/command\\.ts$'],
      ],
      'The check needs the templates only.',
    ),
    only(
      'dashboard',
      '^dashboard/',
      ['^dashboard/', '^shared/(domain|contracts)/'],
      'The application knows the rules and the types of its API, never how the server works.',
    ),
    only('command', '^tools/command\\.ts$', [], 'Every command can use it, also one that loads little.'),
    only(
      'demo',
      '^tools/demo/',
      ['^tools/demo/'],
      'The demonstration is a client: it uses the product over HTTP only.',
    ),
    only(
      'client',
      '^clients/[^/]+/(src/|cli/|example)',
      ['^clients/'],
      'The published client imports nothing of ours.',
    ),
    only(
      'client-generator',
      '^clients/[^/]+/generat',
      ['^clients/', '^functions/(management/)?contracts\\.ts$', '^shared/(http/openapi/|contracts/)'],
      'The client is made from the contracts.',
    ),
    {
      name: 'no-dev-dependencies-in-functions',
      severity: 'error',
      from: { path: '^(functions|shared)/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^cdk\\.out', '^dist', '^dashboard/dist', '^test/fixtures'] },
    // TypeScript 7 has no JavaScript API, which the default parser needs.
    parser: 'swc',
  },
};
