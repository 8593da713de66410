import t from 'tap'
import { joinReports } from './joined-reports.ts'

t.test('the series of a metric stand together, each with its process', async (t) => {
  const reportOf = (sockets: number) => `# HELP sockets Connected {clients}
# TYPE sockets gauge
sockets ${sockets}

# HELP seconds Duration
# TYPE seconds histogram
seconds_bucket{le="+Inf",route="/a{b} c"} 2
seconds_sum 0.5
`
  const onlyHere = '# HELP rare Once\n# TYPE rare counter\nrare 1\n'
  const joined = joinReports([
    { process: 1, report: reportOf(3) },
    { process: 3, report: `${reportOf(4)}\n${onlyHere}` },
  ])
  t.equal(
    joined,
    `# HELP sockets Connected {clients}
# TYPE sockets gauge
sockets{process="1"} 3
sockets{process="3"} 4

# HELP seconds Duration
# TYPE seconds histogram
seconds_bucket{process="1",le="+Inf",route="/a{b} c"} 2
seconds_sum{process="1"} 0.5
seconds_bucket{process="3",le="+Inf",route="/a{b} c"} 2
seconds_sum{process="3"} 0.5

# HELP rare Once
# TYPE rare counter
rare{process="3"} 1
`,
  )
})
