import { useEffect } from 'preact/hooks'
import { Confirm } from '../../confirm.tsx'
import { useCommand } from '../../data/commands.ts'
import { usePanel } from '../../data/panel.ts'
import { useQuery } from '../../data/query.ts'
import { SessionList } from '../../me/session-list.tsx'
import { Drawer } from '../../ui/layers/drawer.tsx'
import { List } from '../../ui/state/list.tsx'
import { useStationTexts } from '../texts.ts'
import { useOutdatedByEntries } from '../use-outdated.ts'

const PATH = '/api/admin/admins/:id/sessions'

/** The sessions of a helper, and their end. */
export function HelperSessions(props: { helper: { adminId: string; login: string }; onClose: () => void }) {
  const { helper, onClose } = props
  const { adminId: id, login } = helper
  const t = useStationTexts()
  const sessions = useQuery(`GET ${PATH}`, { params: { id } })
  const one = useCommand(`DELETE ${PATH}/:sessionId`, { outdates: [PATH] })
  const all = useCommand(`DELETE ${PATH}`, { outdates: [PATH] })
  useOutdatedByEntries(/^admin_(login|logout|session_end|password_reset|activate)$/, PATH)
  // Repeated logins are one entry of the audit log, so what was seen before may be old.
  const { queries } = usePanel()
  useEffect(() => queries.invalidate(PATH), [queries, id])
  return (
    <Drawer title={t.sessionsOf(login)} onClose={onClose}>
      <List
        state={sessions}
        rows={3}
        isEmpty={({ sessions }) => !sessions.length}
        empty={<p>{t.noSessions}</p>}
      >
        {(data) => (
          <>
            <SessionList
              sessions={data.sessions}
              onEnd={(sessionId) => void one.run({ params: { id, sessionId } })}
            />
            <Confirm
              label={t.endSessions}
              about={login}
              sure={t.endSessionsSure}
              yes={t.yes}
              no={t.no}
              onYes={() => void all.run({ params: { id } })}
            />
          </>
        )}
      </List>
    </Drawer>
  )
}
