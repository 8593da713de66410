import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  freePort,
  type Process,
  start,
  type Teardown,
  temporaryFolder,
} from '../../../tests/harness/processes/processes.ts'
import { startNginx } from '../../../tests/harness/servers/nginx.ts'
import { until } from '../../../tests/harness/until.ts'

/** A playlist or a segment as a replica answers it. */
export interface HlsFile {
  path: string
  type: string
  cacheControl: string
  bytes: Buffer
}

/** The files of a mount that a listener asks for now. */
export async function filesOf(origin: string, playlist: string): Promise<HlsFile[]> {
  const fetched = async (path: string): Promise<HlsFile> => {
    const { headers, ...answer } = await fetch(origin + path).then(async (answer) => ({
      headers: answer.headers,
      bytes: Buffer.from(await answer.arrayBuffer()),
    }))
    return {
      path,
      type: headers.get('content-type') ?? '',
      cacheControl: headers.get('cache-control') ?? '',
      ...answer,
    }
  }
  const list = await fetched(playlist)
  const newest = list.bytes.toString().trim().split('\n').at(-1)!
  return [list, await fetched(join(dirname(playlist), newest))]
}

/** An nginx that serves these files from a folder, with nothing else in its configuration. */
export async function startFileServer(t: Teardown, files: HlsFile[]) {
  const folder = await temporaryFolder(t)
  for (const { path, bytes } of files) {
    await mkdir(join(folder, 'files', dirname(path)), { recursive: true })
    await writeFile(join(folder, 'files', path), bytes)
  }
  const port = await freePort()
  const config = join(folder, 'nginx.conf')
  await writeFile(
    config,
    `pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections 4096; }
http {
    client_body_temp_path ${folder}/bodies;
    access_log off;
    sendfile on;
    tcp_nodelay on;
    server {
        listen 127.0.0.1:${port};
        root ${folder}/files;
    }
}
`,
  )
  const args = ['-e', 'stderr', '-p', folder, '-c', config, '-g', 'daemon off; master_process off;']
  const nginx = start(t, 'nginx', args, { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` })
  await answers(nginx, `http://127.0.0.1:${port}${files[0]!.path}`)
  return { port, process: nginx }
}

/** The nginx of the station before a bare server that has these files in memory. */
export async function startBareOrigin(t: Teardown, files: HlsFile[]) {
  const folder = await temporaryFolder(t)
  const list = join(folder, 'files.json')
  await writeFile(
    list,
    JSON.stringify(files.map((file) => ({ ...file, bytes: file.bytes.toString('base64') }))),
  )
  const origin = start(t, 'node', ['--import', 'tsx', 'tools/bench/air/floor.ts', 'files', list])
  const [, port] = /listening on (\d+)/.exec(await origin.printed(/listening on \d+/))!
  return { origin, nginx: await startNginx(t, [Number(port)]) }
}

async function answers(nginx: Process, url: string): Promise<void> {
  await until('nginx answers', () => {
    if (nginx.child.exitCode !== null) throw new Error(`nginx ended:\n${nginx.output}`)
    return fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
  })
}
