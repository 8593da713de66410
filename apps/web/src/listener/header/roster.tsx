import './roster.css'
import { localizedText } from '../../ui/language/localized-text.ts'
import { Popover } from '../../ui/popover/popover.tsx'
import { useStore } from '../../ui/store.ts'
import { useRadio } from '../radio-context.ts'
import { counted } from '../texts/plural.ts'
import { Face } from './face.tsx'

const MAX_FACES = 3

/** The listeners: a few faces and their number, which open the whole list. */
export function Roster() {
  const { radio, locale, t } = useRadio()
  const users = useStore(radio.users)
  const isOnline = useStore(radio.link) === 'online'
  if (users.length === 0 || !isOnline) return null
  return (
    <Popover
      class="roster"
      label={`${t.whoListens}: ${users.length}`}
      button={
        <>
          <span class="faces">
            {users.slice(0, MAX_FACES).map((user, i) => (
              <Face key={`${user.img} ${i}`} user={user} />
            ))}
          </span>
          <span class="count">{users.length}</span>
        </>
      }
    >
      {() => (
        <div class="roster-list">
          <p>{counted(users.length, t.people, locale)}</p>
          <ul>
            {users.map((user, i) => (
              <li key={`${user.img} ${i}`}>
                <Face user={user} />
                <span>{localizedText(user.name, locale)}</span>
                {(user.isAdmin || user.isSuperAdmin) && <em class="badge">{t.admin}</em>}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Popover>
  )
}
