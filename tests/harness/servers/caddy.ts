import { readFile, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:https'
import { join } from 'node:path'
import { sleep } from '@solstice/station'
import {
  freePort,
  type Process,
  root,
  start,
  type Teardown,
  temporaryFolder,
} from '../processes/processes.ts'

export interface Caddy {
  /** `https://localhost:…`, with a certificate from Caddy's own authority. */
  url: string
  /** The address that redirects to HTTPS. */
  plainUrl: string
  process: Process
  /** Trusts that authority; opens one connection per request. */
  agent: Agent
}

/**
 * Our Caddyfile in front of this nginx port, with free ports and a certificate from Caddy's internal authority; resolves
 * when it answers over HTTPS.
 */
export async function startCaddy(t: Teardown, nginxPort: number): Promise<Caddy> {
  const folder = await temporaryFolder(t)
  const [port, plainPort] = [await freePort(), await freePort()]
  const ours = await readFile(join(root, 'deploy/Caddyfile'), 'utf8')
  const config = ours
    .replace(
      /^\temail .*$/m,
      `\tlocal_certs\n\tskip_install_trust\n\thttp_port ${plainPort}\n\thttps_port ${port}`,
    )
    .replace('nginx:8080', `127.0.0.1:${nginxPort}`)
  await writeFile(join(folder, 'Caddyfile'), config)
  const env = { DOMAIN: 'localhost', XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder }
  const args = ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile']
  const caddy = start(t, 'caddy', args, env)
  const authority = join(folder, 'caddy/pki/authorities/local/root.crt')
  const url = `https://localhost:${port}`
  for (;;) {
    if (caddy.child.exitCode !== null) throw new Error(`Caddy ended:\n${caddy.output}`)
    const ca = await readFile(authority, 'utf8').catch(() => null)
    const agent = ca && new Agent({ ca, keepAlive: false, servername: 'localhost' })
    if (agent && (await answers(url, agent)))
      return { url, plainUrl: `http://localhost:${plainPort}`, process: caddy, agent }
    await sleep(50)
  }
}

const answers = (url: string, agent: Agent) =>
  new Promise<boolean>((resolve) => {
    get(`${url}/healthz`, { agent }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    }).once('error', () => resolve(false))
  })
