import { Confirm } from '../confirm.tsx'
import { useCommand } from '../data/commands.ts'
import { useQuery } from '../data/query.ts'
import { List } from '../ui/state/list.tsx'
import { SessionList } from './session-list.tsx'
import { useMeTexts } from './texts.ts'

const PATH = '/api/admin/self/sessions'

/** The account's logins that go on, and the end of them. */
export function Sessions() {
  const t = useMeTexts()
  const sessions = useQuery(`GET ${PATH}`)
  const one = useCommand(`DELETE ${PATH}/:id`, { outdates: [PATH] })
  const others = useCommand(`DELETE ${PATH}`, { outdates: [PATH] })
  return (
    <List state={sessions} rows={3}>
      {({ sessions: all }) => (
        <>
          <SessionList sessions={all} onEnd={(id) => void one.run({ params: { id } })} />
          {all.length > 1 ? (
            <Confirm
              label={t.endOthers}
              sure={t.endOthersSure}
              yes={t.yes}
              no={t.no}
              onYes={() => void others.run()}
            />
          ) : (
            <p class="hint">{t.onlyThis}</p>
          )}
        </>
      )}
    </List>
  )
}
