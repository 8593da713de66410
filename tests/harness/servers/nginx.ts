import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  freePort,
  type Process,
  root,
  start,
  type Teardown,
  temporaryFolder,
} from '../processes/processes.ts'
import { until } from '../until.ts'

/**
 * Our nginx.conf with other addresses, in front of these API ports; resolves when they are reachable through it. With
 * `isBehindProxy` it trusts local programs to name the client's address.
 */
export async function startNginx(
  t: Teardown,
  replicas: number[],
  { isBehindProxy = false } = {},
): Promise<{ url: string; port: number; process: Process }> {
  const folder = await temporaryFolder(t)
  const port = await freePort()
  const ours = await readFile(join(root, 'deploy/nginx.conf'), 'utf8')
  const config = ours
    .replace(/^( *)server api:3001 resolve (.*;)$/gm, (_, indent: string, limits: string) =>
      replicas.map((replica) => `${indent}server 127.0.0.1:${replica} ${limits}`).join('\n'),
    )
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('real_ip_header X', `${isBehindProxy ? 'set_real_ip_from 127.0.0.0/8; ' : ''}real_ip_header X`)
    .replaceAll('/tmp/', `${folder}/`)
    .replace('/dev/stdout', join(folder, 'access.log'))
  await writeFile(join(folder, 'nginx.conf'), config)
  // A single process, so that killing it leaves nothing behind, whoever runs it.
  const globals = 'daemon off; master_process off;'
  const args = ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf'), '-g', globals]
  const nginx = start(t, 'nginx', args, { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` })
  const url = `http://127.0.0.1:${port}`
  const answers = () =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until('nginx answers', () => {
    if (nginx.child.exitCode !== null) throw new Error(`nginx ended:\n${nginx.output}`)
    return answers()
  })
  return { url, port, process: nginx }
}
