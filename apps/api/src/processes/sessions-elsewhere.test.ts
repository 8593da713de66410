import t from 'tap'
import { processOf } from './sessions-elsewhere.ts'

t.test('the id of a session names its process', async (t) => {
  const cases: [address: string | undefined, process: number | null][] = [
    ['/socket.io/?EIO=4&transport=polling&sid=SNdwbx_pBi7v8-DhAAAD.2', 2],
    ['/socket.io/?sid=a.31&EIO=4', 31],
    ['/socket.io/?EIO=4&transport=websocket', null],
    ['/socket.io/?sid=SNdwbx_pBi7v8-DhAAAD', null],
    ['/socket.io/?sid=a.123', null],
    ['/socket.io/?sid=..%2Fother.1', null],
    ['/socket.io/', null],
    [undefined, null],
  ]
  for (const [address, process] of cases) t.equal(processOf(address), process, String(address))
})
