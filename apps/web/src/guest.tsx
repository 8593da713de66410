import { openPage } from './app.tsx'
import { GuestPage } from './live/guest/guest-page.tsx'

openPage(GuestPage)
