console.log("Wield")
