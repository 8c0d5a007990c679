/** Who may import whom (docs/design.md, "Layers"). `npm run check` fails on any other import. */

const layers = '^shared/(store|events|webhooks|programs|payments)/';

/** A rule that lets the files of one place import only what is named; `ours` is every folder of the project. */
const ours = '^(infra|functions|shared|tools|test|clients)/';
const only = (name, from, to, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: ours, pathNot: to },
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'pure-core',
      comment: 'The core decides from its arguments alone: no AWS, no clock, no randomness, no environment.',
      severity: 'error',
      from: { path: '^shared/domain/' },
      to: { pathNot: ['^shared/domain/', '^node_modules/zod/'] },
    },
    only(
      'stores-below',
      layers,
      ['^shared/(store|events|webhooks|programs|payments|domain)/'],
      'Adapters know the core and each other.',
    ),
    only(
      'runtime',
      '^shared/runtime/',
      ['^shared/(runtime|store|events|webhooks|programs|payments|domain)/'],
      'The composition root knows what it composes.',
    ),
    only('http', '^shared/http/', ['^shared/(?!openapi/)'], 'HTTP sits on the runtime, and knows no function.'),
    only(
      'openapi',
      '^shared/openapi/',
      ['^shared/(openapi|http|events|runtime)/'],
      'Documents are made from contracts.',
    ),
    only('functions', '^functions/', ['^shared/', '^functions/'], 'Functions know shared code.'),
    {
      name: 'no-function-imports-another',
      comment: 'Each is a Lambda of its own; what two need is shared code.',
      severity: 'error',
      from: { path: '^functions/([^/]+)/([^/]+)/', pathNot: '/get-openapi/handler\\.ts$' },
      to: { path: '^functions/', pathNot: '^functions/$1/$2/' },
    },
    {
      name: 'openapi-from-contracts',
      comment: 'The documentation is made of the list of contracts, and of nothing that a function does.',
      severity: 'error',
      from: { path: '^functions/([^/]+)/get-openapi/' },
      to: { path: '^functions/', pathNot: ['^functions/$1/get-openapi/', '^functions/contracts\\.ts$'] },
    },
    only(
      'infra',
      '^infra/',
      [
        '^infra/',
        '^functions/(contracts|consumers)\\.ts$',
        '^functions/[^/]+/[^/]+/(contract|subscription)\\.ts$',
        '^shared/http/(contract|credential-schemes)\\.ts$',
        '^shared/store/table\\.ts$',
        '^shared/events/(consumer|platform-event)\\.ts$',
      ],
      'Infrastructure is made from data: never from a handler or a repository.',
    ),
    only('local', '^tools/local/', ['^tools/local/'], 'The local platform knows nothing but the synthesized template.'),
    only(
      'admin',
      '^tools/admin/',
      ['^tools/admin/', '^shared/'],
      'The operator works with the same shared code as the functions.',
    ),
    only(
      'demo',
      '^tools/demo/',
      ['^tools/demo/'],
      'The demonstration is a client: it knows the product over HTTP only.',
    ),
    only('client', '^clients/[^/]+/(src/|example)', ['^clients/'], 'What partners get stands by itself.'),
    only(
      'client-generator',
      '^clients/[^/]+/generat',
      ['^clients/', '^functions/contracts\\.ts$', '^shared/(openapi/|http/contract\\.ts$)'],
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
    exclude: { path: ['^cdk\\.out', '^dist', '^test/fixtures'] },
    parser: 'swc',
  },
};
