import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Config, connect, type Ports, readConfig } from '@solstice/adapters'
import type { Track } from '@solstice/contracts'
import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import { buildApp } from '../../../apps/api/src/app.ts'
import { createTokens, type Tokens } from '../../../apps/api/src/auth/tokens.ts'
import { type RedisServer, startRedis, type Teardown, temporaryFolder } from '../processes/processes.ts'
import { dataSettings } from '../servers/postgres.ts'
import { mediaSettings } from '../servers/s3.ts'

export interface OpenApp {
  app: FastifyInstance
  ports: Ports
  redis: RedisServer
  /** Folder of its data and media. */
  folder: string
  tokens: Tokens
  /** Puts a track into the library, with a file of these bytes unless they are null. */
  addTrack(id: string, bytes?: Uint8Array | null, facts?: Partial<Track>): Promise<Track>
  /** Tokens of one listener as the API currently issues them. */
  passes(uid?: string): { uid: string; artToken: string; audioToken: string }
}

/**
 * The real API in this process, on a Redis and folders of the test's own. It listens only when told to.
 *
 * @param beside another app, to which this one becomes a second replica on the same Redis and folders.
 * @param otherPorts replacements for some of its ports.
 */
export async function openApp(
  t: Teardown,
  env: Record<string, string> = {},
  log: Logger = pino({ level: 'silent' }),
  beside?: OpenApp,
  otherPorts: (config: Config) => Partial<Ports> = () => ({}),
): Promise<OpenApp> {
  const [redis, folder] = beside
    ? [beside.redis, beside.folder]
    : await Promise.all([startRedis(t), temporaryFolder(t)])
  const { config } = readConfig({
    JWT_SECRET: 'a secret that only this test knows',
    REDIS_URL: redis.url,
    DATA_DIR: join(folder, 'data'),
    MEDIA_DIR: join(folder, 'media'),
    HOST: '127.0.0.1',
    PORT: '0',
    LYRICS_API_URL: '',
    WEB_DIST: join(folder, 'no-web-client'),
    ...(await dataSettings(folder, env)),
    ...(await mediaSettings(folder, env)),
    ...env,
  })
  const ports = { ...(await connect(config, log)), ...otherPorts(config) }
  t.teardown(() => ports.close())
  const app = await buildApp(ports)
  t.teardown(() => app.close())
  await app.ready()
  const tokens = createTokens(config)

  return {
    app,
    ports,
    redis,
    folder,
    tokens,
    async addTrack(id, bytes = new Uint8Array(1000), facts = {}) {
      const [mode, filename] = id.split('/') as ['day' | 'night', string]
      const about = { title: filename.replace(/\.mp3$/, ''), artist: 'Somebody', album: '', year: null }
      const track: Track = { id, ...about, duration: 60, mode, filename, storageKey: id, ...facts }
      if (bytes && config.bucket) await ports.media.put(id, bytes)
      else if (bytes) {
        const path = join(config.mediaDir, 'music', mode, filename)
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, bytes)
      }
      await ports.data.tracks.put(track)
      return track
    },
    passes(uid = tokens.uidOf('127.0.0.1')) {
      const nowMs = ports.clock.nowMs()
      const { token: artToken } = tokens.issueArtToken(uid, nowMs)
      return { uid, artToken, audioToken: tokens.issueAudioToken(uid, nowMs).token }
    },
  }
}
