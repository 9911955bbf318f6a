/**
 * Questions about the memories, with the numbers of those that answer them.
 * `words`: the question has telling words of the memory; `paraphrase`: it says
 * the same in others.
 */
const lines = `
words|1|Where in Graz does Mara live?
words|3|How much rent does she pay each month?
words|5|Who has the second key to the flat?
words|7|What grows on her balcony?
words|8|When is paper picked up?
words|11|What does a hydrologist like her model?
words|16|When is the flood report for the ministry due?
words|17|Where is the talk on sediment?
words|22|What happened to her mother's hip?
words|25|When does Lena turn six?
words|36|When is the Requiem performed in the cathedral?
words|41|Which nuts give her hives?
words|42|What happened when she was given penicillin?
words|44|When does the dentist want to see her again?
words|46|What does she take for a migraine?
words|50|When does the tick vaccine have to be refreshed?
words|57|What is the sourdough starter called?
words|61|How old is the cat Moritz?
words|63|Which veterinarian looks after Moritz?
words|75|Until when does the Klimaticket run?
words|77|When does her passport expire?
words|79|Where is the holiday in June 2026?
words|86|What level is her Spanish?
words|94|Which band has she seen seven times?
words|101|Which novel does she give away most?
words|112|What time does she want for the half marathon?
words|115|Does she own an airbag for skiing?
words|124|Which camera does she have?
words|133|Who does her taxes?
words|140|Who owns the meadow in Bruck?
words|141|Where are her passwords?
words|145|When are photos copied to the disk?
words|151|When does the technician come for the dishwasher?
words|154|How long should the curtains be?
words|164|When was Mara born?
words|165|On which day does Viktor celebrate his birthday?
words|173|When is the repair café?
words|193|When is the sediment manuscript due?
words|196|When does Selin start?
words|198|How much is left for field work?
words|208|When does Lukas defend his thesis?
words|220|By when must the first aid certificate be renewed?
words|223|What must Ilse avoid with her blood thinners?
words|238|How long does Viktor work in Ljubljana?
words|245|Where does Birgit marry?
words|250|Which size is her ring finger?
words|252|How hot must the oven be for the bread?
words|261|When does Grigory Sokolov play?
words|264|Which exhibition in Bern does she want to see?
words|271|What did the insurance pay after the hail?
words|273|When do the owners meet about the façade?
words|283|Where did she break her collarbone?
words|288|What was her dissertation about?
words|292|Where does she want to ride in May 2026?
words|62|How many grams of kidney diet food does the cat get?
words|72|When was the rear brake of the bicycle renewed?
words|103|How often are library books due?
words|119|Which running shoes does she take?
words|128|Which board game does she dislike?
words|136|To whom does she give 200 euros in December?
words|149|Which programming languages does she write?
words|153|May the good knife go in the dishwasher?
words|161|What does she bake in Advent?
words|167|Which edition of Stifter would Ilse like?
words|184|How many reminders are enough?
words|199|Who must permit flights of the drone?
words|212|From which day of illness is a certificate needed?
words|229|When does Lena start school?
words|243|Why can Petra not run?
words|256|Which spice did she run out of?
words|277|When does the chimney sweep come?
words|282|When was her bicycle stolen?
words|287|Where did she study?
words|298|When do Viktor's parents expect them?
words|300|Whom does she mean to ask about a will?
paraphrase|2|Who owns the apartment?
paraphrase|6|Who makes the noise above her ceiling?
paraphrase|9|Why is the wifi flaky?
paraphrase|10|Does she intend to relocate?
paraphrase|11|What is her profession?
paraphrase|12|How should her manager be contacted?
paraphrase|14|On which day of the week is she off?
paraphrase|15|When could she earn more?
paraphrase|19|How does she get to the office?
paraphrase|23|Is her dad still alive?
paraphrase|24|What does her sibling do for a living?
paraphrase|26|Does she have a baby in the family?
paraphrase|28|How long has she been in a relationship?
paraphrase|30|When is her marriage planned?
paraphrase|31|Who is her oldest buddy?
paraphrase|34|When do they discuss novels together?
paraphrase|35|On which evening does she practise with other singers?
paraphrase|37,139|Who has not paid her back?
paraphrase|38|Who goes jogging with her at the weekend?
paraphrase|40|With which relative is there a conflict?
paraphrase|41|What must be left out when baking a cake for her?
paraphrase|43|Who is her GP?
paraphrase|45|How short-sighted is she?
paraphrase|47|What eases her spine after sitting?
paraphrase|49,237|What disturbs her at night?
paraphrase|51|Can I serve her a steak?
paraphrase|52|How much caffeine does she have a day?
paraphrase|54|What should be cooked for her on her special day?
paraphrase|55|Which herb should be left out of the curry?
paraphrase|59|Where should we book a table for dinner?
paraphrase|64|Who takes care of the pet while she is on vacation?
paraphrase|65|Which drug does the kitty need daily?
paraphrase|66|Which pet did she have as a child?
paraphrase|70|Would she enjoy a riding lesson?
paraphrase|73|Does she own an automobile?
paraphrase|76,172|What should be considered when booking a plane?
paraphrase|80|What matters to her when choosing accommodation?
paraphrase|81|What should I make sure is in her bag?
paraphrase|82|Is a ferry a good idea?
paraphrase|87|Could she talk to a customer from Paris?
paraphrase|91|Which instrument stands in her home?
paraphrase|93|Which music relaxes her?
paraphrase|98|What movie has she watched most?
paraphrase|104|Why does she not read digitally any more?
paraphrase|113|What is her personal record over 10 km?
paraphrase|116|Is a via ferrata something for her?
paraphrase|121|Which handicraft has she left unfinished?
paraphrase|125|Where does she gather fungi in the woods?
paraphrase|131|How much money has she put aside?
paraphrase|138|Is she still a member of a fitness studio?
paraphrase|37,139|To whom has she given credit?
paraphrase|142|Which smartphone does she use?
paraphrase|147|Would she like an Alexa?
paraphrase|148|Which operating system runs on her own PC?
paraphrase|163|What do they do on 31 December?
paraphrase|166|What present would please her fiancé?
paraphrase|171|May I ask about the election?
paraphrase|178|Which insect terrifies her?
paraphrase|179|Why does she avoid elevators?
paraphrase|181|Should I use her academic title?
paraphrase|183|Should I write miles or kilometres?
paraphrase|185|In which order does she want good and unpleasant messages?
paraphrase|200|What is wrong with the vessel at work?
paraphrase|211|How many vacation days remain?
paraphrase|214|Which employer tried to hire her away?
paraphrase|217|How does she feel ahead of speaking in public?
paraphrase|226|Who looks after her mum at home?
paraphrase|232|What is her boyfriend allergic to?
paraphrase|236|Which vegetable should not be served to her partner?
paraphrase|240|What must be considered when cooking for her guest from Portugal?
paraphrase|248|Who can alter clothes for her?
paraphrase|266|Should we sing at the party?
paraphrase|270|What does she need when she comes home in the evening?
paraphrase|280|How do guests make themselves noticed at the door?
paraphrase|281|Which garment disappeared on the railway?
`

export interface Question {
  readonly kind: "words" | "paraphrase"
  readonly answers: ReadonlyArray<number>
  readonly text: string
}

export const questionsOf = (lines: string): ReadonlyArray<Question> =>
  lines
    .trim()
    .split("\n")
    .map((line) => {
      const [kind = "", answers = "", text = ""] = line.split("|")
      return {
        kind: kind === "words" ? "words" : "paraphrase",
        answers: answers.split(",").map(Number),
        text
      }
    })

export const questions = questionsOf(lines)
