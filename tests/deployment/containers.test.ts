import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { readConfig } from '@solstice/adapters'
import t from 'tap'
import { parse } from 'yaml'
import { settings } from '../../packages/adapters/src/config/settings.ts'
import { root, start, temporaryFolder } from '../harness/processes/processes.ts'
import { DOWN_AFTER_MS, FAILOVER_TIMEOUT_MS } from '../harness/servers/sentinels.ts'

const PASSWORD_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$c29tZSBzYWx0IGhlcmU$aGFzaCBvZiAzMiBieXRlcyBoYXNoIG9mIDMyIGJ5dGU'

const SECRET = '3f9a1c07e52b84d6903ffb1e6d28c5a74be0'

const read = (path: string) => readFile(join(root, path), 'utf8')

interface Service {
  command?: string[]
  environment?: Record<string, string | number>
  networks?: string[]
  ports?: string[]
  cap_drop?: string[]
  mem_limit?: string
  pids_limit?: number
  healthcheck?: { test: string[] }
  image: string
  restart: string
  read_only?: boolean
  user?: string
  volumes?: string[]
  depends_on?: Record<string, { condition: string }>
}

interface Compose {
  services: Record<string, Service>
  volumes: object
  networks: Record<string, { internal?: boolean } | null>
  'x-images': Record<string, string>
}

interface Sentinels {
  services: Record<
    string,
    Pick<Service, 'command' | 'environment'> & { networks?: { inside?: { ipv4_address: string } } }
  >
}

const readCompose = async () => parse(await read('docker-compose.yml'), { merge: true }) as Compose
const readSentinels = async () => parse(await read('deploy/sentinels.yml'), { merge: true }) as Sentinels
const apps = ['api', 'stream-worker', 'jobs']

t.test('the compose file starts every process with known settings', async (t) => {
  const { services } = await readCompose()
  const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> }
  t.strictSame(
    Object.keys(services).sort(),
    [...apps, 'caddy', 'nginx', 'postgres', 'redis', 's3', 's3-bucket'].sort(),
  )
  for (const name of apps) {
    const { command, environment = {}, depends_on = {} } = services[name]!
    t.equal(`exec ${command?.join(' ')}`, scripts[`start:${name}`], `${name} is what npm starts`)
    for (const variable of Object.keys(environment)) t.ok(variable in settings, `${name}: ${variable}`)
    const { config, warnings } = readConfig(expanded(environment))
    t.match(config, {
      isProduction: true,
      dataProvider: 'sql',
      mediaStorage: 'cloud',
      trustProxyHops: 1,
      publicServerUrl: 'https://radio.example',
      bucket: { publicEndpoint: 'https://radio.example' },
      streamBitrate: 192,
    })
    t.same(config.otherMounts, [], 'one stream, unless the operator names others')
    t.match(environment.STREAM_MOUNTS, /^.\{STREAM_MOUNTS:-\}$/, 'to all of them alike')
    t.same(warnings, [], 'nothing is misspelt')
    t.same(config.monitorUrls, [], 'nobody listens until addresses are named')
    t.match(depends_on, {
      redis: { condition: 'service_healthy' },
      postgres: { condition: 'service_healthy' },
    })
  }
})

/** Settings that mean nothing in these containers, and why. */
const NOT_HANDED_ON: Record<string, string> = {
  HOST: 'a container listens on all its addresses',
  DRAIN_DELAY_S: 'nginx turns to another replica by itself',
  WEB_DIST: 'the image has the client',
  FFMPEG_PATH: 'the image has ffmpeg',
  VIDEODOWN_PATH: 'yt-dlp is mounted where it is looked up',
  DATA_DIR: 'the image names the folder, which is a volume',
  MEDIA_DIR: 'media are in the bucket',
  MUSIC_SOURCE: 'the older name of MEDIA_STORAGE, which is set',
  S3_REGION: 'the store has none',
  S3_FORCE_PATH_STYLE: 'the store wants paths',
  S3_ARTS_PREFIX: 'the bucket is new and used by nothing else',
  EPHEMERAL_STORAGE: 'volumes outlive containers',
}

t.test('every setting that .env may have is handed on, with the default that it has anyway', async (t) => {
  const { services } = await readCompose()
  const beside = await readSentinels()
  const having = (name: string) =>
    apps.filter((app) => name in { ...services[app]?.environment, ...beside.services[app]?.environment })
  for (const name of Object.keys(settings)) {
    const reason = NOT_HANDED_ON[name]
    if (reason === undefined) t.not(having(name).length, 0, `${name} is handed on`)
    else t.same(having(name), [], `${name}: ${reason}`)
  }
  for (const name of Object.keys(NOT_HANDED_ON)) t.ok(name in settings, `${name} is a setting`)

  for (const app of apps) {
    const environment = services[app]?.environment ?? {}
    const optional = Object.entries(environment).filter(([, value]) => /\$\{\w+:?-/.test(String(value)))
    for (const [name, value] of optional)
      t.match(String(value), new RegExp(`^\\$\\{${name}:?-[^}]*\\}$`), `${app}: ${name} keeps its name`)
    // Containers stream unless told otherwise.
    const own = optional.map(([name]) => name).filter((name) => name !== 'STREAM_MODE')
    const without = Object.entries(environment).filter(([name]) => !own.includes(name))
    t.same(
      readConfig(expanded(environment)).config,
      readConfig(expanded(Object.fromEntries(without))).config,
      `${app}: defaults are those of the configuration`,
    )
  }
  const lyrics = String(services.jobs?.environment?.LYRICS_API_URL)
  t.match(lyrics, /^\$\{LYRICS_API_URL-/, 'an empty value is not replaced: it turns lookups off')

  t.same(having('AIRCHECK_DAYS'), apps, 'all keep, read or delete something of these days')
  for (const name of Object.keys(settings).filter((name) => /^(VAPID|PUSH|WEBHOOK|LYRICS_API)_/.test(name)))
    t.same(having(name), ['api', 'jobs'], `${name}: the API accepts, jobs send`)
  for (const name of ['MONITOR_URLS', 'SMTP_URL', 'SMTP_FROM', 'ALARM_EMAILS'])
    t.same(having(name), ['jobs'], name)
})

t.test('deploy/sentinels.yml watches its servers, and every process asks its sentinels', async (t) => {
  const { services } = await readCompose()
  const beside = await readSentinels()
  const addressOf = (name: string) => beside.services[name]?.networks?.inside?.ipv4_address
  const namesOf = (pattern: RegExp) => Object.keys(beside.services).filter((name) => pattern.test(name))
  const linesOf = (name: string) =>
    [...String(beside.services[name]?.command?.at(-1)).matchAll(/echo "([^"]+)"/g)].map(([, line]) => line!)
  const sentinels = namesOf(/^sentinel-/)
  const servers = namesOf(/^redis/)
  t.same([servers.length, sentinels.length], [3, 3])

  for (const app of apps) {
    const added = beside.services[app]?.environment
    const names = ['REDIS_SENTINELS', 'REDIS_SENTINEL_NAME', 'REDIS_SENTINEL_PASSWORD']
    t.same(Object.keys(added ?? {}).sort(), names, `${app}: compose replaces nothing else`)
    const { config, warnings } = readConfig(expanded({ ...services[app]?.environment, ...added }))
    t.same(warnings, [], `${app}: nothing is misspelt`)
    const redis = {
      sentinels: sentinels.map((name) => ({ host: addressOf(name), port: 26_379 })),
      name: 'solstice',
      sentinelPassword: SECRET,
      url: `redis://:${SECRET}@redis:6379`,
    }
    t.same(config.redis, redis, `${app}: the sentinels and the primary of this file`)
  }

  const guide = await read('docs/operations.md')
  const watching = [
    'port 26379',
    'requirepass $$REDIS_PASSWORD',
    'sentinel sentinel-pass $$REDIS_PASSWORD',
    `sentinel monitor solstice ${addressOf('redis')} 6379 2`,
    'sentinel auth-pass solstice $$REDIS_PASSWORD',
    `sentinel down-after-milliseconds solstice ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout solstice ${FAILOVER_TIMEOUT_MS}`,
  ]
  for (const name of sentinels) {
    t.same(linesOf(name), [watching[0], 'dir /data', ...watching.slice(1)], `${name} as in the tests`)
    for (const line of linesOf(name).filter((line) => /milliseconds|timeout/.test(line)))
      t.match(guide, `\`${line.replace(/^sentinel (\S+) solstice/, '$1')}\``, 'and as in the guide')
  }
  const durable = ['min-replicas-to-write 1', 'min-replicas-max-lag 10', 'repl-diskless-sync-delay 0']
  for (const name of servers) {
    const { FOLLOWS } = beside.services[name]?.environment ?? {}
    t.equal(FOLLOWS, name === 'redis' ? '' : addressOf('redis'), `${name}: whom it follows at first`)
    for (const line of durable) t.ok(linesOf(name).includes(line), `${name}: ${line}`)
  }
  for (const line of durable) t.match(guide, `\`${line}\``, 'as in the guide')
})

t.test('each container has the least privileges it needs', async (t) => {
  const compose = await readCompose()
  const { services } = compose
  const secretsOf = (name: string) =>
    Object.keys(services[name]?.environment ?? {}).filter((variable) =>
      /^(ADMIN|LIQPAY|STRIPE|DONATELLO|KOFI|VAPID|SMTP)_/.test(variable),
    )
  t.same(
    secretsOf('stream-worker'),
    [],
    'the worker has no secret of admins, payments, notifications or mail',
  )
  t.notOk(secretsOf('jobs').some((variable) => variable.startsWith('ADMIN_')))
  const published = Object.entries(services).filter(([, { ports }]) => ports)
  t.same(
    published.map(([name]) => name),
    ['caddy'],
    'only Caddy is reached from outside',
  )
  for (const name of ['redis', 'postgres', 's3', 's3-bucket', 'stream-worker'])
    t.same(services[name]?.networks, ['inside'], `${name} has no way out`)
  t.equal(compose.networks.inside?.internal, true)
  const { identities } = JSON.parse(String(services.s3?.environment?.S3_IDENTITIES)) as {
    identities: { actions: string[] }[]
  }
  for (const action of identities.flatMap(({ actions }) => actions))
    t.match(action, /^(Read|Write|List|Tagging):solstice$/, 'the key of the station reaches one bucket')

  const images = new Set(Object.values(compose['x-images']))
  const { version } = JSON.parse(await read('package.json')) as { version: string }
  for (const [name, service] of Object.entries(services)) {
    t.ok(service.restart === 'no' || service.healthcheck, `${name} has a health check`)
    t.ok(
      images.has(service.image) || service.image === `solstice:${version}`,
      `${name}: the version is in its place`,
    )
    t.match(service.image, /:\d+(\.\d+)?[\w.-]*$/, `${name}: the image has a version`)
    t.equal(service.read_only, true, `${name} writes to volumes only`)
    t.same(service.cap_drop, ['ALL'], name)
    for (const [option] of service.healthcheck?.test.join(' ').matchAll(/(?<=wget .*) -[\w-]+/g) ?? [])
      t.match(option, /^ -[qSTO]$/, `${name}: BusyBox's wget knows ${option}`)
    t.ok(service.mem_limit && service.pids_limit, `${name} has bounds`)
    for (const [variable, value] of Object.entries(service.environment ?? {}))
      if (/SECRET|PASS|TOKEN(?!_TTL)|_KEY|(DATABASE|REDIS|SMTP)_URL/.test(variable))
        t.match(
          String(value),
          /^(LIQPAY|STRIPE|DONATELLO|KOFI|VAPID|SMTP)_/.test(variable)
            ? `\${${variable}:-}`
            : /\$\{\w+:\?[^}]+\}/,
          `${name}: ${variable} comes from outside or nothing starts`,
        )
    for (const dependency of Object.keys(service.depends_on ?? {})) t.ok(services[dependency], dependency)
    for (const network of service.networks ?? []) t.ok(network in compose.networks, network)
    for (const key of ['configs', 'secrets'])
      t.notOk(key in service, `${name}: compose copies ${key} into the container, which is read-only`)
    for (const volume of service.volumes ?? []) {
      const [from = ''] = volume.split(':')
      if (from.startsWith('./')) t.ok(await read(from), `${from} is there`)
      else if (from !== volume) t.ok(from in compose.volumes, `${name}: ${from}`)
    }
  }
})

const expanded = (environment: Record<string, string | number>) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, withoutReferences(value)]))

/** Expands `${NAME:?why}`, `${NAME:-default}` and `${NAME-default}`. */
function withoutReferences(value: string | number): string {
  return String(value)
    .replace(/\$\{DOMAIN:\?[^}]+\}/g, 'radio.example')
    .replace(/\$\{ADMIN_PASS:\?[^}]+\}/g, () => PASSWORD_HASH)
    .replace(/\$\{\w+:?-([^}]*)\}/g, '$1')
    .replace(/\$\{\w+:\?[^}]+\}/g, SECRET)
}

t.test('the guide generates all secrets of the containers, readable by their owner only', async (t) => {
  const guide = await read('docs/operations.md')
  const [, lines = ''] = /^```sh\n(touch \.env[\s\S]*?)^docker compose/m.exec(guide) ?? []
  const folder = await temporaryFolder(t)
  const script = [
    `cd "${folder}"`,
    'openssl() { echo 0123456789abcdef0123456789abcdef; }',
    lines.replace('$argon2id$…', () => PASSWORD_HASH),
  ]
  const shell = start(t, 'sh', ['-euc', script.join('\n')])
  t.equal(await shell.exited, 0, shell.output)
  const path = join(folder, '.env')
  t.equal((await stat(path)).mode & 0o777, 0o600)
  const made = parseEnv(await readFile(path, 'utf8'))
  t.equal(made.ADMIN_PASS, PASSWORD_HASH)
  const blocks = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block)
  t.equal(await start(t, 'sh', ['-nc', blocks.join('\n')]).exited, 0, 'a shell takes all lines of the guide')

  const wanted = [...(await read('docker-compose.yml')).matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name)
  t.same(Object.keys(made).sort(), [...new Set(wanted)].sort())
})

t.test('the image names versions, holds no secrets, and runs nothing as root', async (t) => {
  const lines = (await read('Dockerfile'))
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
  const of = (instruction: string) => lines.filter((line) => line.startsWith(`${instruction} `))
  const stages = new Set(of('FROM').map((line) => / AS (\w+)$/.exec(line)?.[1]))
  for (const line of of('FROM')) {
    const [, image = ''] = line.split(' ')
    t.ok(stages.has(image) || image === '$'.concat('{NODE_IMAGE}'), `${line}: the version is in one place`)
  }
  t.match(of('ARG'), [/^ARG NODE_IMAGE=node:(22|24)-\w+-slim$/], 'a line with long-term support')
  const last = lines.slice(lines.lastIndexOf(of('FROM').at(-1)!))
  t.ok(last.includes('USER node') && last.indexOf('USER node') < last.findIndex((line) => /^CMD /.test(line)))
  t.ok(last.includes('STOPSIGNAL SIGTERM'))
  t.ok(last.some((line) => line.startsWith('HEALTHCHECK ')))
  t.notOk(
    lines.some((line) => /^(ENV|ARG) .*(SECRET|PASS|TOKEN|KEY)/.test(line)),
    'no secrets',
  )
  t.notOk(lines.some((line) => /^ADD |--include=dev|curl |sudo /.test(line)))
  for (const line of lines.filter((line) => /npm ci/.test(line))) t.match(line, /--ignore-scripts/)
  for (const line of lines.filter((line) => /apt-get install/.test(line)))
    t.match(line, /--no-install-recommends .*rm -rf \/var\/lib\/apt\/lists/)
  const { workspaces } = JSON.parse(await read('package.json')) as { workspaces: string[] }
  t.same(workspaces, ['packages/*', 'apps/*'])
  const manifests = of('COPY').flatMap(
    (line) => /^COPY ((?:apps|packages)\/[\w-]+)\/package\.json/.exec(line)?.[1] ?? [],
  )
  const lock = JSON.parse(await read('package-lock.json')) as { packages: Record<string, object> }
  const members = Object.keys(lock.packages).filter((path) => /^(apps|packages)\/[\w-]+$/.test(path))
  t.same(manifests.sort(), members.sort(), 'npm knows all workspaces')
  const build = lines.indexOf('RUN npm run build -w @solstice/web')
  const before = lines
    .slice(
      lines.findIndex((line) => line.endsWith(' AS web')),
      build,
    )
    .join('\n')
  const { extends: base } = JSON.parse(await read('apps/web/tsconfig.json')) as { extends: string }
  t.match(
    before,
    `COPY ${join('apps/web', base)} ./`,
    'the pages are built with the settings that theirs extend',
  )

  const ignored = (await read('.dockerignore')).split('\n')
  t.ok(ignored.includes('*'), 'only what is named goes to the builder')
  for (const secret of ['**/.env*', '**/node_modules']) t.ok(ignored.includes(secret), secret)
})
