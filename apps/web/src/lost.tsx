import { openPage } from './app.tsx'
import { NotFoundPage } from './not-found-page.tsx'

openPage(NotFoundPage)
