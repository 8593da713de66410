// Who may import whom: a straight line contracts <- playout <- station <- adapters <- apps (ARCHITECTURE.md, 3).
const below = {
  contracts: ['playout', 'station', 'adapters'],
  playout: ['station', 'adapters'],
  station: ['adapters'],
}
module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-app-to-app',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'web-sees-contracts-only',
      severity: 'error',
      from: { path: '^apps/web/src', pathNot: 'test' },
      to: { path: '^packages/(?!contracts/)' },
    },
    { name: 'packages-know-no-app', severity: 'error', from: { path: '^packages/' }, to: { path: '^apps/' } },
    ...Object.entries(below).map(([name, forbidden]) => ({
      name: `${name}-looks-up-only`,
      severity: 'error',
      from: { path: `^packages/${name}/` },
      to: { path: `^packages/(${forbidden.join('|')})/` },
    })),
    {
      name: 'no-deep-imports',
      comment: 'Another package is reached through its index.ts only.',
      severity: 'error',
      from: { path: '^(?:packages|apps)/([^/]+)/' },
      to: { path: '^packages/[^/]+/src/(?!index\\.ts$)', pathNot: '^packages/$1/' },
    },
    {
      name: 'playout-is-pure',
      severity: 'error',
      from: { path: '^packages/playout/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|\\.build|\\.tap)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
    },
  },
}
