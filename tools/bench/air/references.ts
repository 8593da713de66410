import { execFile } from 'node:child_process'
import { access, chmod, constants, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import {
  freePort,
  type Process,
  start,
  type Teardown,
  temporaryFolder,
} from '../../../tests/harness/processes/processes.ts'
import { until } from '../../../tests/harness/until.ts'

const run = promisify(execFile)
const SOURCE = 'tools/bench/air/floor.c'
const PASSWORD = 'bench'
/** Its burst buffer fills at the pace of the sound: 64 KB at 128 kbit/s. */
const BURST_BYTES = 65_535
const BYTES_PER_MS = 16

/** A server that the service is measured against. */
export interface Reference {
  url: string
  pid: number
  end(): Promise<void>
}

export type Found = { reference: Reference } | { missing: string }

/** The same fan-out in C, with nothing around it. */
export async function startKernelFloor(t: Teardown): Promise<Found> {
  if (process.platform !== 'linux') return { missing: `${SOURCE} runs on Linux only` }
  const compiler = await findProgram(process.env.CC ?? 'cc')
  if (!compiler) return { missing: 'no C compiler (cc in PATH, or CC)' }
  const program = join(await temporaryFolder(t), 'floor')
  await run(compiler, ['-O2', '-o', program, SOURCE])
  const server = start(t, program, [])
  const [, port] = /listening on (\d+)/.exec(await server.printed(/listening on \d+/))!
  return { reference: referenceOf(server, `http://127.0.0.1:${port}/`) }
}

/** Icecast with a source at 128 kbit/s; resolves when its burst is full. */
export async function startIcecast(t: Teardown): Promise<Found> {
  const program = await findProgram(process.env.ICECAST ?? 'icecast2')
  if (!program) return { missing: 'no Icecast (icecast2 in PATH, or ICECAST)' }
  const folder = await temporaryFolder(t)
  await chmod(folder, 0o777)
  const port = await freePort()
  const config = join(folder, 'icecast.xml')
  await writeFile(config, configOf(folder, port))
  const server = start(t, program, ['-c', config])
  const url = `http://127.0.0.1:${port}/stream.mp3`
  const statusOf = (address: string) =>
    fetch(address).then(
      async ({ status, body }) => {
        await body?.cancel()
        return status
      },
      () => null,
    )
  await until('Icecast answers', async () => {
    if (server.child.exitCode !== null) throw new Error(`Icecast ended:\n${server.output}`)
    return (await statusOf(url)) !== null
  })
  const tone = ['-f', 'lavfi', '-i', 'sine=220', '-b:a', '128k', '-f', 'mp3', '-content_type', 'audio/mpeg']
  const target = `icecast://source:${PASSWORD}@127.0.0.1:${port}/stream.mp3`
  const source = start(t, 'ffmpeg', ['-nostdin', '-v', 'error', '-re', ...tone, target])
  await until('its source is there', async () => (await statusOf(url)) === 200)
  await new Promise((resolve) => setTimeout(resolve, BURST_BYTES / BYTES_PER_MS))
  const end = async () => {
    await source.end()
    await server.end()
  }
  return { reference: { ...referenceOf(server, url), end } }
}

function referenceOf(server: Process, url: string): Reference {
  return { url, pid: server.child.pid!, end: () => server.end() }
}

/** Started as root, Icecast wants another user. */
function configOf(folder: string, port: number): string {
  const user =
    process.getuid?.() === 0 ? '<changeowner><user>nobody</user><group>nogroup</group></changeowner>' : ''
  return `<icecast>
  <limits><clients>65000</clients><sources>2</sources><burst-size>${BURST_BYTES}</burst-size></limits>
  <authentication><source-password>${PASSWORD}</source-password><admin-user>admin</admin-user><admin-password>${PASSWORD}</admin-password></authentication>
  <hostname>localhost</hostname>
  <listen-socket><port>${port}</port><bind-address>127.0.0.1</bind-address></listen-socket>
  <fileserve>1</fileserve>
  <paths>
    <basedir>${folder}</basedir><logdir>${folder}</logdir><webroot>${folder}</webroot><adminroot>${folder}</adminroot>
  </paths>
  <logging><accesslog>access.log</accesslog><errorlog>error.log</errorlog><loglevel>1</loglevel></logging>
  <security><chroot>0</chroot>${user}</security>
</icecast>
`
}

/** A program by its path, or by its name in PATH and where system programs are. */
export async function findProgram(name: string): Promise<string | null> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  const paths = name.includes('/') ? [name] : folders.map((folder) => join(folder, name))
  for (const path of paths) {
    const isRunnable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isRunnable) return path
  }
  return null
}
