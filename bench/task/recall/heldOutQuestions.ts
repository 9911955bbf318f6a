/** Questions about what is held apart, written before they were asked once. */
import { questionsOf } from "./questions.js"

export const questions = questionsOf(`
words|1|On which days do releases go out?
words|2|Who carries the pager in even weeks?
words|3|When is the Postgres upgrade planned?
words|5|How many approvals does a change under payments need?
words|8|How often is staging refreshed?
words|13|When is version 1 of the orders endpoint switched off?
words|14|How often are keys rotated?
words|20|How many requests a second did the load test hold?
words|22|What colour is the dot of this year's queens?
words|23|When is oxalic acid used against varroa?
words|26|Where does the supplier of the jars sit?
words|28|How much sugar syrup does a colony get?
words|35|When does the extractor have to be back at the club?
words|40|In which month does she teach beginners?
words|44|How long may unsold titles be returned?
words|48|Which discount do pupils get?
words|49|Where is the signed first edition kept?
words|53|What does the book club read this year?
words|54|How long are vouchers valid?
words|58|Why were deliveries late in November?
words|63|Which indicator is used for the titration?
words|65|When are the written finals in chemistry?
words|67|Where does the tenth form's trip go?
words|71|Where is the sulfuric acid?
words|79|Why is oxygen orange in the molecule kits?
words|82|At how many hours was the engine overhauled?
words|86|Where was the genoa patched?
words|92|How many litres does the fuel tank hold?
words|94|Which flag is raised for customs?
words|99|What did the harbour in Visby cost a night?
paraphrase|1|May I ship this change at the end of the week?
paraphrase|4|Why is our build red every now and then?
paraphrase|6|What caused the outage when nobody could sign in?
paraphrase|10|How much are we allowed to spend on servers?
paraphrase|11|Who is joining us in spring?
paraphrase|12|When do we talk about how we work together, without the bosses?
paraphrase|16|May I print who bought something to the console?
paraphrase|18|When were the codebases united?
paraphrase|24|Where did the escaped bees go?
paraphrase|25|How much did we get out of the hives last time?
paraphrase|27|Who is in danger when an insect pricks him?
paraphrase|32|Where can people buy what the bees make?
paraphrase|34|Who is unhappy about thirsty insects?
paraphrase|37|Why did the drink spoil?
paraphrase|38|What did wild animals damage?
paraphrase|45|Which animal lives among the books?
paraphrase|47|What happens when the printer at the counter is out of paper?
paraphrase|51|Why can boxes not stand on the ground downstairs?
paraphrase|52|When does the post have to be packed?
paraphrase|55|Who should be phoned when a volume on beacons comes in?
paraphrase|60|Until when can we stay in these premises?
paraphrase|61|How long must the eyes be protected?
paraphrase|70|Who stands in for her when she is ill?
paraphrase|74|What happened to somebody's clothes in the lesson?
paraphrase|78|Who cannot wear ordinary rubber on the hands?
paraphrase|84|How deep does the water have to be for us?
paraphrase|89|Who feels ill at sea at first?
paraphrase|91|What has to be done after wet weather?
paraphrase|96|What broke in the thunderstorm?
paraphrase|98|Where does the yacht spend the cold months?
`)
