import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Resources that a process has used so far. */
export interface Usage {
  /** CPU seconds of all its threads. */
  cpuS: number
  rssKb: number
}

/** On Linux the scheduler's own count in nanoseconds, elsewhere the output of `ps`, in hundredths of a second. */
export async function usageOf(pid: number): Promise<Usage> {
  if (process.platform === 'linux') return usageOnLinux(pid)
  const { stdout } = await run('ps', ['-o', 'time=,rss=', '-p', String(pid)])
  const [time = '0', rss = '0'] = stdout.trim().split(/\s+/)
  const cpuS = time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  return { cpuS, rssKb: Number(rss) }
}

async function usageOnLinux(pid: number): Promise<Usage> {
  let nanoseconds = 0
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const line = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')
    nanoseconds += Number(line.split(' ')[0])
  }
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return { cpuS: nanoseconds / 1e9, rssKb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) }
}

/**
 * MB of memory that processes take together: pages that they share, such as the libraries of two ffmpeg, count once. On Linux the sum of
 * their proportional set sizes (proc(5)), which counts too little while processes outside the list share the pages; elsewhere of all they use.
 */
export async function memoryOf(pids: readonly number[]): Promise<number> {
  const kb = await Promise.all(
    pids.map(async (pid) => {
      if (process.platform !== 'linux') return (await usageOf(pid)).rssKb
      // One that ended meanwhile, as a song's decoder does, takes none.
      const told = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
      return Number(/^Pss:\s+(\d+)/m.exec(told)?.[1] ?? 0)
    }),
  )
  return kb.reduce((sum, each) => sum + each, 0) / 1024
}
