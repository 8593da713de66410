// Who may import whom: a straight line contracts <- playout <- station <- adapters <- apps (ARCHITECTURE.md).
const below = {
  contracts: ['demo-music', 'playout', 'station', 'adapters'],
  'demo-music': ['playout', 'station', 'adapters'],
  playout: ['station', 'adapters'],
  station: ['adapters'],
}

/**
 * The folders of each member, lowest first: a file may import from its own folder, from those before it, and from the files
 * that are named after `|` as open to all of them.
 */
const rooms = {
  'packages/contracts/src':
    'resources pages events examples webhooks routes | failures locales localized lyrics-lines messages privileges route',
  'packages/playout/src': 'model saved rotation clips queue boundary live library step project',
  'packages/station/src':
    'ports core accounts aircheck logbook artwork library intake lyrics clips settings engine-facts groups tracks requests donations notifications monitor webhooks events transfer',
  'packages/adapters/src':
    'auth config services files process redis air data media backup pictures audio video webhooks jobs',
  'apps/api/src':
    'limits auth reference http processes files stream hls air background now-playing directories links routes sockets pages',
  'apps/stream-worker/src': 'audio air feeds',
  'apps/stream-worker/src/audio': 'pcm codec microphone sequencer',
  'apps/web/src': 'styles ui radio listener sky status live embed admin | api texts',
}
const isTest = '\\.test\\.ts$'
const roomRules = Object.entries(rooms).flatMap(([home, line]) => {
  const [folders, open = []] = line.split('|').map((part) => part.trim().split(' '))
  const name = home.replace(/^(packages|apps)\/|src\/?/g, '').replace(/\W+$/, '')
  const inside = (list) => `^${home}/(${list.join('|')})/`
  return [
    {
      name: `${name}-has-these-rooms`,
      comment: 'A new folder gets its place in the list of rooms.',
      severity: 'error',
      from: { path: `^${home}/` },
      to: { path: `^${home}/(?!(${folders.join('|')})/)[^/]+/` },
    },
    {
      name: `${name}-rooms-know-no-entrance`,
      severity: 'error',
      from: { path: inside(folders), pathNot: isTest },
      to: { path: `^${home}/[^/]+\\.tsx?$`, pathNot: `^${home}/(${open.join('|')})\\.ts$` },
    },
    ...folders.slice(0, -1).map((folder, i) => ({
      name: `${name}-${folder}-looks-down-only`,
      severity: 'error',
      from: { path: inside([folder]), pathNot: isTest },
      to: { path: inside(folders.slice(i + 1)) },
    })),
  ]
})

module.exports = {
  forbidden: [
    ...roomRules,
    {
      name: 'redis-is-known-to-adapters',
      severity: 'error',
      from: { pathNot: `^packages/adapters/|${isTest}` },
      to: { path: '^(node_modules/)?(ioredis|@socket\\.io/redis)' },
    },
    {
      name: 'demo-music-is-for-jobs',
      severity: 'error',
      from: { pathNot: '^(apps/jobs/|packages/demo-music/|tests/harness/stations/short-demo)' },
      to: { path: '^packages/demo-music/' },
    },
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
      comment: 'Another package is reached through its index.ts only, or what begins every process alone.',
      severity: 'error',
      from: { path: '^(?:packages|apps)/([^/]+)/' },
      to: { path: '^packages/[^/]+/src/(?!index\\.ts$|process/run-process\\.ts$)', pathNot: '^packages/$1/' },
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
