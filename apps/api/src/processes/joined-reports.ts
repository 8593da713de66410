/**
 * Joins the metrics of several processes, in the text format of Prometheus. Each series gets the label `process`.
 *
 * @param reports by the number of the process.
 */
export function joinReports(reports: readonly { process: number; report: string }[]): string {
  const families = new Map<string, { head: string[]; series: string[] }>()
  for (const { process, report } of reports) {
    let series: string[] = []
    for (const line of report.split('\n')) {
      const name = /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1]
      if (name) {
        const family = families.get(name) ?? { head: [], series: [] }
        families.set(name, family)
        if (!family.head.includes(line)) family.head.push(line)
        series = family.series
      } else if (line && !line.startsWith('#')) series.push(labelled(line, process))
    }
  }
  return [...families.values()].map(({ head, series }) => `${[...head, ...series].join('\n')}\n`).join('\n')
}

function labelled(line: string, process: number): string {
  return line.replace(/^([\w:]+)(\{?)/, (_, name, brace) => {
    return brace ? `${name}{process="${process}",` : `${name}{process="${process}"}`
  })
}
